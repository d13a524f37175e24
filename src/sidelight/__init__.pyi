from sidelight import environments as environments
from sidelight import games as games
from sidelight import limits as limits
from sidelight import monitor as monitor
from sidelight import results as results
from sidelight import strategies as strategies
from sidelight import studies as studies
from sidelight.analysis import Analysis as Analysis
from sidelight.analysis import analyze as analyze
from sidelight.checks import check_environment as check_environment
from sidelight.checks import check_game as check_game
from sidelight.checks import check_strategy as check_strategy
from sidelight.errors import GameError as GameError
from sidelight.errors import SidelightError as SidelightError
from sidelight.game import Game as Game
from sidelight.monitor import ClassifierMonitor as ClassifierMonitor
from sidelight.recommendation import recommend as recommend
from sidelight.results import Results as Results
from sidelight.simulation import simulate as simulate

__version__: str
