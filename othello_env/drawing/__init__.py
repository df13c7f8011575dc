"""Draw a position (as text, as SVG, as pixels or in a window) and a whole game (as a GIF or as an HTML page).

`othello_env.drawing.charts` draws charts of results.
"""

from othello_env.drawing.picture import pixels, svg, text
from othello_env.drawing.replay import gif, html, positions
from othello_env.drawing.scene import Scene, scene
from othello_env.drawing.window import Window

__all__ = ["Scene", "Window", "gif", "html", "pixels", "positions", "scene", "svg", "text"]
