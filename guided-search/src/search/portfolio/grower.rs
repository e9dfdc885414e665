//! Who grows an e-graph of the question by turns, here or ahead of its turn.

use crate::options::budget::Cap;
use crate::search::portfolio::growing::{Growing, Turn};
use crate::search::prove::Search;
use crate::search::walking::ahead::Ahead;
use anyhow::{Context, Result};
use egraph::{SaturationConfig, Scheduler, StopReason};

/// The turn of an e-graph ends with the iteration that has built a quarter more e-nodes than there were, and no iteration
/// builds more than two fifths more.
const TURN: [u64; 2] = [1, 4];
const ITERATION: [u64; 2] = [2, 5];

/// The first turn ends when so many e-nodes were built.
const LEAST_TURN: u64 = 64;

/// Somebody who grows an e-graph of the question.
pub struct Grower {
    place: Place,
    scheduler: Scheduler,
    /// E-nodes before anybody else has a turn, where that is so.
    first: u64,
    /// E-nodes that it had built when it was seen last.
    pub built: u64,
    /// Whether growing further is of no use.
    pub is_over: bool,
    /// Why it ended its last turn.
    pub stop: StopReason,
}

/// Where its e-graph is.
enum Place {
    Here(Box<Growing>),
    Ahead(Ahead<Box<Growing>>),
    /// Its turn came to the bounds of the search, which is over.
    Lost,
}

impl Grower {
    /// Of an e-graph that is at hand.
    pub fn new(own: Growing, scheduler: Scheduler, first: u64) -> Grower {
        let (built, is_over, stop) = (own.built(), own.is_over, own.stage.stop);
        Grower { place: Place::Here(Box::new(own)), scheduler, first, built, is_over, stop }
    }

    /// The e-graph, if it does not grow ahead.
    pub fn here(&mut self) -> Option<&mut Growing> {
        match &mut self.place {
            Place::Here(own) => Some(own),
            _ => None,
        }
    }

    /// Its turn.
    ///
    /// # Errors
    /// [`Ended`](crate::search::stage::Ended), of one that grew ahead.
    pub fn grow(&mut self, keeps_before: bool, search: &mut Search<'_>) -> Result<&mut Growing> {
        let own = match std::mem::replace(&mut self.place, Place::Lost) {
            Place::Ahead(ahead) => Some(ahead.take()?),
            Place::Here(own) => {
                let (turn, _) = self.turn(&own, keeps_before, search);
                Some(Box::new(own.go_on(turn)))
            }
            Place::Lost => None,
        };
        let own = own.context("an e-graph grows on that was lost")?;
        (self.built, self.is_over, self.stop) = (own.built(), own.is_over, own.stage.stop);
        self.place = Place::Here(own);
        self.here().context("it was just put there")
    }

    /// Begins its next turn, if there is work for all e-nodes that the e-graph may then have and for an e-graph of the search:
    /// with less left, how it may grow depends on what the others spend until its turn.
    pub fn grow_ahead(&mut self, search: &mut Search<'_>) {
        if self.is_over {
            return;
        }
        let Place::Here(own) = std::mem::replace(&mut self.place, Place::Lost) else { return };
        let (turn, most) = self.turn(&own, false, search);
        self.place = match search.left() >= most.saturating_add(self.first) {
            true => Place::Ahead(
                search.crew.begin(|cancel| Box::new(own.go_on(turn.with_cancel(cancel)))),
            ),
            false => Place::Here(own),
        };
    }

    /// Its next turn, and how many e-nodes the e-graph may have then.
    fn turn(&self, own: &Growing, keeps_before: bool, search: &mut Search<'_>) -> (Turn, u64) {
        let built = own.built();
        let more = |[part, of]: [u64; 2]| built.saturating_mul(part) / of;
        let first = self.first.saturating_sub(built);
        let mark = (built + more(TURN) + 1).max(self.first.min(LEAST_TURN));
        let mark = if first > 0 { mark.min(self.first) } else { mark };
        let most = (own.stage.egraph.node_count() as u64)
            .saturating_add(more(ITERATION).max(first).max(1));
        let config = room(search, self.scheduler, most);
        (own.turn(search.bank(), config, mark, keeps_before), most)
    }
}

/// How an e-graph grows to so many e-nodes at most. One that is limited in memory keeps to that, others take as much as
/// their share of the work is. One that is larger than what is left could not grow much: what is left is the others'.
fn room(search: &Search<'_>, scheduler: Scheduler, most: u64) -> SaturationConfig {
    let nodes = usize::try_from(most).unwrap_or(usize::MAX);
    let mut config = search.saturation(scheduler, Cap::Nodes(nodes));
    if let Cap::Memory(bytes) = search.cap() {
        config.limits.memory = Some(bytes);
    }
    config
}
