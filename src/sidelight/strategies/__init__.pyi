# One line per strategy, in the order of tables; `Published...` ones only reproduce printed numbers.
from sidelight.strategies.prospect.prospect import Prospect as Prospect
from sidelight.strategies.confidence_bounds.cbp import CBP as CBP
from sidelight.strategies.confidence_bounds.cbp import RandCBP as RandCBP
from sidelight.strategies.posterior.bpm import BPMLeast as BPMLeast
from sidelight.strategies.posterior.bpmts import BPMTS as BPMTS
from sidelight.strategies.posterior.tspm import TSPM as TSPM
from sidelight.strategies.posterior.tspm import TSPMGaussian as TSPMGaussian
from sidelight.strategies.posterior.mario import Mario as Mario
from sidelight.strategies.posterior.vids import VIDS as VIDS
from sidelight.strategies.dmed.pmdmed import PMDMED as PMDMED
from sidelight.strategies.dmed.hinge import PMDMEDHinge as PMDMEDHinge
from sidelight.strategies.adversarial.feedexp3 import FeedExp3 as FeedExp3
from sidelight.strategies.adversarial.bobw import BOBW as BOBW
from sidelight.strategies.adversarial.bobw_local import BOBWLocal as BOBWLocal
from sidelight.strategies.adversarial.exppm import ExpPM as ExpPM
from sidelight.strategies.adversarial.neighborhood_watch import NeighborhoodWatch2 as NeighborhoodWatch2
from sidelight.strategies.information.ids import IDS as IDS
from sidelight.strategies.information.asymptotic_ids import AsymptoticIDS as AsymptoticIDS
from sidelight.strategies.changing.restarting import Restarting as Restarting
from sidelight.strategies.changing.discounted import Discounted as Discounted
from sidelight.strategies.bandits.bernoulli import KLUCB as KLUCB
from sidelight.strategies.bandits.bernoulli import BetaThompson as BetaThompson
from sidelight.strategies.baselines.greedy import EpsilonGreedy as EpsilonGreedy
from sidelight.strategies.baselines.greedy import Greedy as Greedy
from sidelight.strategies.information.ids_contexts import IDSContexts as IDSContexts
from sidelight.strategies.confidence_bounds.cbpside import CBPSide as CBPSide
from sidelight.strategies.confidence_bounds.cbpside import RandCBPSide as RandCBPSide
from sidelight.strategies.prospect.prospect_side import ProspectSide as ProspectSide
from sidelight.strategies.any_model.prospect_model import ProspectModel as ProspectModel
from sidelight.strategies.labels.pg import PGTS as PGTS
from sidelight.strategies.labels.pg import PGIDS as PGIDS
from sidelight.strategies.labels.pgts_multi import PGTSMulti as PGTSMulti
from sidelight.strategies.labels.stap import STAP as STAP
from sidelight.strategies.labels.cesa import CESA as CESA
from sidelight.strategies.baselines.squarecb import SquareCB as SquareCB
from sidelight.strategies.bandits.linear import LinUCB as LinUCB
from sidelight.strategies.bandits.linear import LinTS as LinTS
from sidelight.strategies.baselines.greedy_contexts import EpsilonGreedySide as EpsilonGreedySide
from sidelight.strategies.baselines.greedy_contexts import GreedySide as GreedySide
from sidelight.strategies.baselines.uniform import Uniform as Uniform
from sidelight.strategies.baselines.uniform import FixedAction as FixedAction
from sidelight.strategies.baselines.bayes_optimal import BayesOptimal as BayesOptimal
from sidelight.strategies.confidence_bounds.cbpside_published import PublishedCBPSide as PublishedCBPSide
from sidelight.strategies.confidence_bounds.cbpside_published import PublishedRandCBPSide as PublishedRandCBPSide

# The contract.
from sidelight.strategies.base import KernelStrategy as KernelStrategy
from sidelight.strategies.base import OrderError as OrderError
from sidelight.strategies.base import Strategy as Strategy

def reserved_names() -> frozenset[str]: ...
def names(*, published: bool = False, external: bool = False) -> tuple[str, ...]: ...
