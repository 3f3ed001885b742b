//! The catalogue: what plain Rust does, `#[saga]` does.
// Its programs are as strange as they have to be, and take most of the time.
#![cfg(not(clippy))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    deprecated,
    missing_docs,
    reason = "tests"
)]

/// What such functions ask by.
macro_rules! asks {
    ($(#[$mark:meta])?) => {
        $(#[$mark])?
        async fn sure(cx: &Context, question: &str) -> Result<bool, Failure> {
            Ok(cx.peer.elicit::<Confirm>(question).await?.is_some_and(|answer| answer.ok))
        }

        $(#[$mark])?
        async fn num(cx: &Context, question: &str) -> Result<i64, Failure> {
            Ok(cx.peer.elicit::<Count>(question).await?.map_or(-1, |answer| answer.n))
        }

        $(#[$mark])?
        async fn text(cx: &Context, question: &str) -> Result<String, Failure> {
            Ok(cx.peer.elicit::<Text>(question).await?.map_or_else(String::new, |answer| answer.text))
        }
    };
}

/// The functions of a text that is compiled twice, as the modules `plain` and `saga`.
macro_rules! written_twice {
    ($($name:ident $(:: $run:ident)?),*) => {
        pub(super) fn all() -> Vec<Case> {
            vec![$(Case {
                name: stringify!($name),
                plain: |cx, t| Box::pin(plain::$name$(::$run)?(cx, t)),
                saga: |cx, t| Box::pin(saga::$name$(::$run)?(cx, t)),
            }),*]
        }
    };
}

mod adapters;
mod aggregates;
mod answers_of_blocks;
mod arms_that_are_over;
mod arms_that_change;
mod arms_that_give;
mod arms_that_take;
mod arrays;
mod assigned_somewhere;
mod awaited_later;
mod behind_references;
mod blocks_beside;
mod blocks_under_limits;
mod borrows;
mod boxed;
mod branches;
mod by_value;
mod changed;
mod choices;
mod chosen_clones;
mod chosen_references;
mod closures;
mod closures_that_take;
mod constants;
mod copied_by_other_names;
mod copied_out;
mod copies;
mod deploys;
mod deploys_of_choices;
mod drops;
mod edges;
mod evaluated_in_order;
mod everyday;
mod filled_later;
mod found;
mod found_in_given;
mod found_inside;
mod found_to_change;
mod functions;
mod gathered;
mod given_away;
mod given_back;
mod given_in_structs;
mod going_on_elsewhere;
mod guards;
mod handed_on;
mod handle_names;
mod heads_at_once;
mod heads_by_parts;
mod heads_in_order;
mod held_handles;
mod helpers;
mod imported_elsewhere;
mod inferred;
mod inside_of_macros;
mod item_copies;
mod items;
mod iterators;
mod joins;
mod kept_in_parts;
mod kept_params;
mod keys_of_lookups;
mod led_by_other_names;
mod led_elsewhere;
mod led_in_other_forms;
mod left_from_inside;
mod lent_and_changed;
mod lent_by_block;
mod lent_constants;
mod lent_parts;
mod lent_to_methods;
mod limited_calls;
mod limits;
mod lists_of_functions;
mod literal_texts;
mod looked_at;
mod looked_up;
mod looked_up_in_json;
mod loops;
mod macros_of_the_body;
mod matched_again;
mod mentioned;
mod mixed_tuples;
mod moves;
mod nested_items;
mod operands;
mod ordered;
mod other_names;
mod outliving;
mod own_asks;
mod own_state;
mod pauses;
mod plain_arms;
mod questions;
mod references;
mod referred;
mod remade;
mod replaced;
mod replaced_bases;
mod returned;
mod rows;
mod said_in_macros;
mod same_bytes;
mod same_names;
mod searches;
mod sides;
mod spots;
mod statics;
mod straight;
mod tables;
mod taken_apart;
mod taken_apart_inside;
mod taken_beside;
mod taken_fields;
mod taken_or_lent;
mod taken_out;
mod temporaries;
mod two_steps;
mod ways_out;
mod whole_branches;
mod words;
mod written_as_lists;

use tests::answers::{SCRIPTS, UNORDERED};

/// The runtime under another name, for `#[saga(crate = ..)]`.
pub(crate) use saga_runtime as elsewhere;

async fn check_all(cases: Vec<tests::Case>) {
    let mut runs = 0;
    for case in &cases {
        runs += tests::check(case).await;
    }
    println!("{} functions, {runs} runs", cases.len());
    assert!(runs > cases.len());
}

/// A test for all programs of a module.
macro_rules! agree {
    ($($test:ident: $module:ident;)*) => {
        $(#[tokio::test]
        async fn $test() {
            check_all($module::all()).await;
        })*
    };
}

agree! {
    ways_out_agree: ways_out;
    what_is_referred_to_agrees: referred;
    limits_around_calls_agree: limited_calls;
    texts_given_away_agree: given_away;
    texts_that_are_literals_agree: literal_texts;
    futures_awaited_later_agree: awaited_later;
    macros_of_the_body_agree: macros_of_the_body;
    heads_of_parts_agree: heads_by_parts;
    arms_that_are_over_agree: arms_that_are_over;
    what_goes_on_elsewhere_agrees: going_on_elsewhere;
    arms_that_change_agree: arms_that_change;
    arms_that_give_agree: arms_that_give;
    arms_that_take_agree: arms_that_take;
    what_is_inside_of_macros_agrees: inside_of_macros;
    heads_that_run_at_once_agree: heads_at_once;
    what_is_led_in_other_forms_agrees: led_in_other_forms;
    what_is_found_to_change_agrees: found_to_change;
    heads_of_loops_agree: heads_in_order;
    what_is_left_from_inside_agrees: left_from_inside;
    what_is_written_as_lists_agrees: written_as_lists;
    what_leads_elsewhere_by_another_name_agrees: led_by_other_names;
    what_is_imported_elsewhere_agrees: imported_elsewhere;
    what_is_taken_apart_inside_agrees: taken_apart_inside;
    keys_of_lookups_agree: keys_of_lookups;
    whole_branches_agree: whole_branches;
    lent_constants_agree: lent_constants;
    aggregates_agree: aggregates;
    arrays_agree: arrays;
    closures_agree: closures;
    sides_agree: sides;
    remade_agree: remade;
    two_steps_agree: two_steps;
    found_agree: found;
    what_is_lent_and_changed_agrees: lent_and_changed;
    lent_parts_agree: lent_parts;
    what_a_block_lends_agrees: lent_by_block;
    what_is_taken_out_agrees: taken_out;
    returned_references_agree: returned;
    what_outlives_the_function_agrees: outliving;
    what_is_found_inside_of_variables_agrees: found_inside;
    what_own_functions_find_in_arguments_agrees: found_in_given;
    tables_agree: tables;
    what_is_taken_or_lent_agrees: taken_or_lent;
    answers_of_blocks_agree: answers_of_blocks;
    what_methods_are_lent_agrees: lent_to_methods;
    what_is_given_in_structs_agrees: given_in_structs;
    loops_behind_references_agree: behind_references;
    closures_that_take_agree: closures_that_take;
    references_to_one_of_several_places_agree: chosen_references;
    clones_and_functions_that_are_chosen_agree: chosen_clones;
    lists_of_functions_agree: lists_of_functions;
    what_is_looked_up_in_json_agrees: looked_up_in_json;
    what_macros_mention_and_what_is_returned_agrees: mentioned;
    what_a_helper_keeps_agrees: kept_params;
    what_goes_by_other_names_agrees: other_names;
    what_is_written_as_the_same_bytes_agrees: same_bytes;
    tuples_of_references_and_own_values_agree: mixed_tuples;
    what_is_taken_beside_its_values_agrees: taken_beside;
    what_is_given_back_agrees: given_back;
    what_is_inferred_agrees: inferred;
    what_is_filled_later_agrees: filled_later;
    own_methods_of_the_names_of_asks_agree: own_asks;
    state_of_one_owner_agrees: own_state;
    taken_fields_agree: taken_fields;
    searches_agree: searches;
    straight_line: straight;
    branches_agree: branches;
    constants_agree: constants;
    choices_agree: choices;
    loops_agree: loops;
    borrows_agree: borrows;
    helpers_agree: helpers;
    drops_agree: drops;
    methods_by_value_agree: by_value;
    what_is_looked_up_agrees: looked_up;
    operands_agree: operands;
    patterns_that_are_matched_again_agree: matched_again;
    what_goes_by_the_same_name_agrees: same_names;
    adapters_agree: adapters;
    references_to_what_has_static_texts_agree: statics;
    tables_of_functions_agree: functions;
    asks_in_guards_agree: guards;
    nested_items_agree: nested_items;
    temporaries_agree: temporaries;
    arguments_that_are_handed_on_agree: handed_on;
    values_that_are_taken_apart_agree: taken_apart;
    items_agree: items;
    held_iterators_agree: iterators;
    edges_agree: edges;
    spots_agree: spots;
    moves_agree: moves;
    words_agree: words;
    boxed_futures_agree: boxed;
    limits_agree: limits;
    references_agree: references;
    what_is_taken_out_of_something_is_copied_by_its_type: copied_out;
    handles_in_fields_agree: held_handles;
    patterns_on_fields_agree: looked_at;
    values_of_ones_own_in_lists_agree: kept_in_parts;
    collections_of_indexmap_agree: ordered;
    everyday_code_agrees: everyday;
    what_has_a_handles_name_agrees: handle_names;
    copies_of_items_agree: item_copies;
    arms_that_ask_nobody_agree: plain_arms;
    what_is_assigned_somewhere_agrees: assigned_somewhere;
    what_is_found_by_way_of_references_agrees: replaced_bases;
    what_macros_and_cfg_say_agrees: said_in_macros;
    copies_by_other_names_agree: copied_by_other_names;
    what_leads_elsewhere_agrees: led_elsewhere;
    indices_and_keys_agree: evaluated_in_order;
}

#[tokio::test]
async fn copies_agree() {
    check_all(copies::all()).await;
    for case in copies::joined() {
        assert!(tests::check_unordered(&case).await > 6, "{}", case.name);
    }
}

#[tokio::test]
async fn what_changes_agrees() {
    check_all(changed::all()).await;
    check_all(changed::helped::all()).await;
}

#[tokio::test]
async fn replaced_agree() {
    check_all(replaced::all()).await;
    for case in replaced::joined() {
        assert!(tests::check_unordered(&case).await > 6, "{}", case.name);
    }
}

#[tokio::test]
async fn blocks_beside_others_agree() {
    for case in blocks_beside::all()
        .into_iter()
        .chain(blocks_under_limits::all())
    {
        assert!(tests::check_unordered(&case).await > 6, "{}", case.name);
    }
}

#[tokio::test]
async fn gathered_futures_agree() {
    for case in gathered::all() {
        assert!(tests::check_unordered(&case).await > 6, "{}", case.name);
    }
}

#[tokio::test]
async fn pauses_agree() {
    check_all(pauses::all()).await;
    check_all(pauses::helped::all()).await;
    for case in pauses::joined::all() {
        assert!(tests::check_unordered(&case).await > 6, "{}", case.name);
    }
}

#[tokio::test]
async fn tasks_agree_whose_processes_are_killed() {
    for (number, case) in pauses::all().iter().chain(&helpers::all()).enumerate() {
        tests::stored::check_stored(case, number % SCRIPTS).await;
    }
    for (number, case) in pauses::joined::all().iter().enumerate() {
        tests::stored::check_stored(case, UNORDERED + number % SCRIPTS).await;
    }
}

#[tokio::test]
async fn joins_agree() {
    for case in joins::all() {
        assert!(tests::check_unordered(&case).await > 6, "{}", case.name);
    }
}

#[tokio::test]
async fn questions_agree() {
    check_all(questions::all()).await;
    check_all(questions::helpers::all()).await;
    for case in questions::joined::all() {
        assert!(tests::check_unordered(&case).await > 6, "{}", case.name);
    }
}
