//! Halves of chains: from a task that no e-graph under the cap proves, what leads to its proof can still
//! be learned from the way to its middle, and from there.

use crate::tasks::task::Task;

/// The tasks, each followed by its two halves if there is a waypoint between.
pub fn with_halves(tasks: &[Task]) -> Vec<Task> {
    tasks.iter().flat_map(|task| [vec![task.clone()], halves(task)].concat()).collect()
}

/// From the start to the middle waypoint and from there to the target; nothing if there is none.
fn halves(task: &Task) -> Vec<Task> {
    let middle = task.waypoints.len().div_ceil(2);
    let Some(at) = middle.checked_sub(1) else { return Vec::new() };
    let links = task.links.min(middle as u32);
    let first = Task {
        id: format!("{}a", task.id),
        target: task.waypoints[at].clone(),
        waypoints: task.waypoints[..at].to_vec(),
        links,
        ..task.clone()
    };
    let second = Task {
        id: format!("{}b", task.id),
        start: task.waypoints[at].clone(),
        waypoints: task.waypoints[middle..].to_vec(),
        links: task.links - links,
        ..task.clone()
    };
    vec![first, second]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tasks::outside::outside;

    fn task(waypoints: &[&str]) -> Task {
        let waypoints: Vec<String> = waypoints.iter().map(|&w| w.into()).collect();
        let links = waypoints.len() as u32 + 1;
        Task { waypoints, links, ..outside("t".into(), "a".into(), "z".into()) }
    }

    #[test]
    fn a_chain_is_cut_at_its_middle_waypoint() {
        let ways = |task: &Task| {
            let mut way = vec![task.start.clone()];
            way.extend(task.waypoints.clone());
            way.push(task.target.clone());
            (task.id.clone(), way.concat(), task.links)
        };
        for (waypoints, first, second) in [
            (&["b"] as &[&str], "ab", "bz"),
            (&["b", "c"], "ab", "bcz"),
            (&["b", "c", "d"], "abc", "cdz"),
        ] {
            let found = with_halves(&[task(waypoints)]);
            assert_eq!(found[0], task(waypoints));
            assert_eq!(ways(&found[1]), ("ta".into(), first.into(), first.len() as u32 - 1));
            assert_eq!(ways(&found[2]), ("tb".into(), second.into(), second.len() as u32 - 1));
        }
        assert_eq!(with_halves(&[task(&[])]), [task(&[])]);
    }
}
