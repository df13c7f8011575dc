"""The browser page: play against agents, watch games and see what agents think. It works without the internet.

The server does not store games. Each request about a game contains its record: the game's name, its start and its moves
(see `othello_env.page.messages`). So an open page still works after a restart of the server, and nothing is left on the
server when a tab is closed.
"""
