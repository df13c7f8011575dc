"""The browser page: play against agents, watch games and see what agents think. It works without the internet.

The server keeps no games. Each request carries its game as a record (`othello_env.page.messages`). So a page still
works after a restart of the server, and a closed tab leaves nothing behind.
"""
