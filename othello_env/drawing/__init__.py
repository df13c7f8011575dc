"""Draw a position (as text, as SVG, as pixels or in a window), a whole game (GIF or HTML), and learning curves."""

from othello_env.drawing import checkers as _checkers  # noqa: F401 - the import registers the game's drawing
from othello_env.drawing import othello as _othello  # noqa: F401
from othello_env.drawing import tribolo as _tribolo  # noqa: F401
from othello_env.drawing.as_pixels import pixels
from othello_env.drawing.as_svg import svg
from othello_env.drawing.as_text import text
from othello_env.drawing.learning import learning_curve
from othello_env.drawing.replay import gif, html, positions
from othello_env.drawing.scene import Scene, scene
from othello_env.drawing.window import Window

__all__ = ["Scene", "Window", "gif", "html", "learning_curve", "pixels", "positions", "scene", "svg", "text"]
