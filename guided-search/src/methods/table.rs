//! The methods that can be asked to prove a task, a row each. A new method is a row here and a file beside
//! this one; commands, their help, reports and charts read the rows.

use crate::methods::all_work::all_work;
use crate::methods::asked::{Aids, Asked, Need, Search};
use crate::methods::frontier::Frontier;
use crate::methods::oracle::Oracle;
use crate::methods::ranked::{Ranked, ranked_or_deep};
use crate::methods::written::Written;
use crate::options::schedulers::Schedulers;
use crate::search::answer::Answer;
use crate::search::guide_source::{GuideSource, NoGuides};
use crate::search::portfolio::beside::prove_beside;
use crate::search::prove::prove;
use crate::search::united::legs::united;
use anyhow::{Context, Result, bail};
use egraph::did_you_mean;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A way to prove a task. All get the same total work, guides per request and attempts, and searches the same cap.
#[derive(Debug)]
struct Row {
    /// On the command line and in results.
    name: &'static str,
    /// What it is.
    sentence: &'static str,
    /// In charts; dark enough for a light page, and light enough for a dark one.
    colour: &'static str,
    /// What it can't do without.
    needs: Need,
    /// How e-graphs are grown, if not as the settings say.
    schedulers: Option<Schedulers>,
    /// How it goes.
    how: How,
}

/// Where guides come from, if there is what they need.
type Guides = for<'a> fn(Aids<'a>) -> Option<Box<dyn GuideSource + 'a>>;

/// How a method goes.
#[derive(Debug)]
enum How {
    /// It searches, with these guides, from one pair of terms at a time.
    Search(Guides),
    /// With these guides, from all terms that are answered to a request.
    Unite(Guides),
    /// It searches, with these guides, and grows e-graphs of the question beside.
    Beside(Guides),
    /// It does something else.
    Else(fn(&mut Asked<'_>) -> Result<Answer>),
}

/// A line for each method: its name, its colour, what it needs and how it goes, in e-graphs of schedulers if not of those of
/// the settings; and its sentence.
macro_rules! rows {
    ($($name:literal $colour:literal $needs:ident, $how:ident($by:expr) $(in $own:ident)?: $sentence:literal;)+) => {
        &[$(Row {
            name: $name,
            sentence: $sentence,
            colour: $colour,
            needs: Need::$needs,
            schedulers: rows!(@own $($own)?),
            how: How::$how($by),
        }),+]
    };
    (@own) => { None };
    (@own $own:ident) => { Some(Schedulers::$own) };
}

/// In the order of a report: baselines first, the ceiling last.
static ROWS: &[Row] = rows! {
    "cap" "#586078" Nothing, Search(|_| Some(Box::new(NoGuides))):
        "one e-graph at the cap, and nothing else";
    "all-work" "#a89068" Nothing, Else(all_work):
        "one e-graph with all the work, the better of simple and back-off";
    "random" "#989800" Nothing, Search(|_| Some(Box::new(Frontier::Random))):
        "random frontier terms of both sides";
    "descend" "#d87800" Nothing, Search(|_| Some(Box::new(Frontier::Descend))):
        "random frontier terms of both sides, none much larger than the smallest found";
    "smallest" "#b03838" Nothing, Search(|_| Some(Box::new(Frontier::Smallest))):
        "the smallest terms of both sides, until nothing becomes smaller";
    "nearest" "#d878a8" Nothing, Search(|_| Some(Box::new(Frontier::Nearest))):
        "the frontier terms of both sides that are most like the other side";
    "shared" "#00a8a8" Nothing, Search(|_| Some(Box::new(Frontier::Shared))):
        "the frontier terms of both sides with the fewest distinct subterms, those of the other \
         side counted in";
    "united" "#f800a0" Nothing, Unite(|_| Some(Box::new(Frontier::Shared))):
        "as shared, all guides of a request in one e-graph, as one term of each side";
    "deep" "#0098f8" Nothing, Search(|_| Some(Box::new(Frontier::Shared))) in Mixed:
        "as shared, in e-graphs grown best-first and simply in turn";
    "ranked" "#f80000" Ranker, Search(|aids| Some(Box::new(Ranked(aids.ranker?.clone())))) in Mixed:
        "as deep, the order of matches learned from proofs";
    "model" "#8800f8" Model, Search(|aids| Some(Box::new(Written(aids.model?)))):
        "what a trained model writes, and chance where that is not reached";
    "expert" "#9038a8" Guides, Search(|aids| Some(Box::new(aids.expert?.clone()))):
        "the sketches or terms of a file, one after the other";
    "portfolio" "#0058f8" RankerIfAny, Beside(|aids| Some(ranked_or_deep(aids.ranker))) in Mixed:
        "guided search, as ranked or, without a ranker, as deep, and beside it two e-graphs that \
         go on growing, each with a share of the work: what prove does by default";
    "oracle" "#007030" Chain, Search(|aids| Some(Box::new(Oracle { chain: aids.chain? }))):
        "the true waypoints of the chain that made the task: the ceiling";
};

/// A method of the table. In files it is its name.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Method(&'static Row);

/// The method by which a task is told to be hard, if it fails.
pub const TELLS_HARD: &str = "all-work";

/// What a method is for in a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It uses nothing that was learned.
    Baseline,
    /// It uses what was learned from proofs: a model or a ranker.
    Learned,
    /// It is told the answer.
    Ceiling,
}

impl Method {
    /// All methods, in the order of a report: baselines first, the ceiling last.
    pub fn all() -> impl Iterator<Item = Method> {
        ROWS.iter().map(Method)
    }

    /// The name on the command line and in results.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// What it is, in one sentence without its full stop.
    pub fn sentence(self) -> &'static str {
        self.0.sentence
    }

    /// Its colour in every chart, as `#rrggbb`.
    pub fn colour(self) -> &'static str {
        self.0.colour
    }

    /// What it can't do without.
    pub fn needs(self) -> Need {
        self.0.needs
    }

    /// What it is for in a comparison, with a ranker or without one.
    pub fn role(self, ranker: bool) -> Role {
        match self.needs() {
            Need::Chain => Role::Ceiling,
            Need::Model | Need::Ranker => Role::Learned,
            Need::RankerIfAny if ranker => Role::Learned,
            _ => Role::Baseline,
        }
    }

    /// Whether it draws on a ranker, if there is one.
    pub fn uses_ranker(self) -> bool {
        matches!(self.needs(), Need::Ranker | Need::RankerIfAny)
    }

    /// Refuses a method that needs what is not there.
    ///
    /// # Errors
    /// It does; how it is given is said.
    pub fn expect(self, there: &[Need]) -> Result<()> {
        let missing = self.needs().words().filter(|_| !there.contains(&self.needs()));
        missing.map_or(Ok(()), |(what, _)| bail!("method '{self}' needs {what}"))
    }

    /// Answers a question.
    ///
    /// # Errors
    /// It needs what is not there, a fault of the model, or an internal fault.
    pub fn answer(self, asked: &mut Asked<'_>) -> Result<Answer> {
        self.expect(&asked.aids.available())?;
        let (guides, search) = match self.0.how {
            How::Else(answer) => return answer(asked),
            How::Search(guides) => (guides, prove as Search),
            How::Beside(guides) => (guides, prove_beside as Search),
            How::Unite(guides) => (guides, united as Search),
        };
        let source = guides(asked.aids);
        let mut source = source.with_context(|| format!("method '{self}' lacks what it needs"))?;
        asked.search(search, source.as_mut(), self.0.schedulers)
    }

    /// All methods with their sentences and needs, in lines of at most 78 characters: for a help text.
    pub fn list() -> String {
        let mut text = String::new();
        for method in Method::all() {
            let needs = method.needs().words().map_or("", |(_, short)| short);
            let mut line = format!("  {:<9} ", method.name());
            for word in format!("{}{needs}", method.sentence()).split(' ') {
                if line.len() + 1 + word.len() > 78 {
                    text += &(std::mem::replace(&mut line, " ".repeat(12)) + "\n");
                }
                line = line + " " + word;
            }
            text += &(line + "\n");
        }
        text
    }
}

impl PartialEq for Method {
    fn eq(&self, other: &Method) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Method {}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Method {
    type Err = String;

    fn from_str(name: &str) -> std::result::Result<Self, String> {
        Method::all().find(|m| m.name() == name).ok_or_else(|| {
            let names: Vec<_> = Method::all().map(Method::name).collect();
            let meant = did_you_mean(name, names.iter().copied());
            format!("unknown method '{name}'{meant}: expected one of {}", names.join(", "))
        })
    }
}

impl TryFrom<String> for Method {
    type Error = String;

    fn try_from(name: String) -> std::result::Result<Self, String> {
        name.parse()
    }
}

impl From<Method> for String {
    fn from(method: Method) -> String {
        method.name().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_unique_and_read_back() {
        let names: BTreeSet<&str> = Method::all().map(Method::name).collect();
        assert_eq!(names.len(), ROWS.len());
        for method in Method::all() {
            assert_eq!(method.name().parse(), Ok(method));
        }
        assert!("magic".parse::<Method>().unwrap_err().contains("smallest"));
        let slip = "portfoilo".parse::<Method>().unwrap_err();
        assert!(slip.contains("(did you mean 'portfolio'?): expected one of cap"), "{slip}");
        TELLS_HARD.parse::<Method>().unwrap();
    }

    #[test]
    fn no_two_colours_are_alike_and_all_stand_out_from_a_light_page_and_a_dark_one() {
        let colours: Vec<[f64; 3]> = Method::all().map(|m| channels(m.colour())).collect();
        for (i, a) in colours.iter().enumerate() {
            for b in &colours[..i] {
                // Weighted as the eye does (Riemersma, 2000); black and white are 765 apart.
                let red = f64::midpoint(a[0], b[0]) / 256.0;
                let weights = [2.0 + red, 4.0, 3.0 - red];
                let square: f64 = (0..3).map(|c| weights[c] * (a[c] - b[c]).powi(2)).sum();
                assert!(square.sqrt() > 100.0, "{a:?} {b:?}");
            }
            for paper in ["#ffffff", "#0f1419"] {
                let (one, other) = (light(*a), light(channels(paper)));
                assert!(
                    (one.max(other) + 0.05) / (one.min(other) + 0.05) > 2.8,
                    "{a:?} on {paper}"
                );
            }
        }
    }

    #[test]
    fn the_list_has_every_method_in_short_lines() {
        let list = Method::list();
        for method in Method::all() {
            let begins = format!("  {:<9}  ", method.name());
            assert!(list.lines().any(|line| line.starts_with(&begins)), "{list}");
        }
        assert!(list.lines().all(|line| line.len() <= 78), "{list}");
    }

    fn channels(colour: &str) -> [f64; 3] {
        [1, 3, 5].map(|at| f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap()))
    }

    /// The relative luminance of WCAG 2.
    fn light(colour: [f64; 3]) -> f64 {
        let linear = colour.map(|c| c / 255.0).map(|c| match c <= 0.04045 {
            true => c / 12.92,
            false => ((c + 0.055) / 1.055f64).powf(2.4),
        });
        0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    }

    #[test]
    fn a_method_without_what_it_needs_is_refused() {
        for method in Method::all() {
            let refused = method.expect(&[]);
            let needs = !matches!(method.needs(), Need::Nothing | Need::RankerIfAny);
            assert_eq!(refused.is_err(), needs, "{method}");
            method.expect(&[method.needs()]).unwrap();
        }
        let message = "model".parse::<Method>().unwrap().expect(&[]);
        assert!(message.unwrap_err().to_string().contains("--model"));
    }
}
