"""Thousands of games of Othello as arrays, stepped together by compiled functions."""
