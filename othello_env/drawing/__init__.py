"""Draw a position (as text, as SVG, as pixels or in a window), a whole game (GIF or HTML), and learning curves.

`othello_env.drawing.charts` draws more charts of results.
"""

from othello_env.drawing.charts import learning_curve
from othello_env.drawing.picture import pixels, svg, text
from othello_env.drawing.replay import gif, html, positions
from othello_env.drawing.scene import scene
from othello_env.drawing.window import Window
from othello_env.games.scene import Scene

__all__ = ["Scene", "Window", "gif", "html", "learning_curve", "pixels", "positions", "scene", "svg", "text"]
