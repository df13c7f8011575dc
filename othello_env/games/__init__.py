"""The rules of the games and their encoding as arrays."""
