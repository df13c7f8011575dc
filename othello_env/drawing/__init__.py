"""Draw a position (as text, as SVG, as pixels or in a window), a whole game (GIF), and learning curves.

`othello_env.drawing.charts` draws more charts of results.
"""

from othello_env.drawing.charts import learning_curve
from othello_env.drawing.picture import pixels, svg, text
from othello_env.drawing.replay import gif, positions
from othello_env.drawing.scene import scene
from othello_env.drawing.window import Window
from othello_env.games.scene import Scene

__all__ = ["Scene", "Window", "gif", "learning_curve", "pixels", "positions", "scene", "svg", "text"]
