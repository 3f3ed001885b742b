//! The catalogue: what plain Rust does, `#[saga]` does.

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
mod arrays;
mod assigned_somewhere;
mod behind_references;
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
mod copied_out;
mod copies;
mod deploys;
mod deploys_of_choices;
mod drops;
mod edges;
mod everyday;
mod filled_later;
mod found;
mod found_in_given;
mod found_inside;
mod functions;
mod given_back;
mod given_in_structs;
mod guards;
mod handed_on;
mod handle_names;
mod held_handles;
mod helpers;
mod inferred;
mod item_copies;
mod items;
mod iterators;
mod joins;
mod kept_in_parts;
mod kept_params;
mod lent_and_changed;
mod lent_by_block;
mod lent_parts;
mod lent_to_methods;
mod limits;
mod lists_of_functions;
mod looked_at;
mod looked_up;
mod looked_up_in_json;
mod loops;
mod matched_again;
mod mentioned;
mod mixed_tuples;
mod moves;
mod nested_items;
mod operands;
mod ordered;
mod other_names;
mod outliving;
mod own_state;
mod pauses;
mod plain_arms;
mod questions;
mod references;
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
mod taken_beside;
mod taken_fields;
mod taken_or_lent;
mod taken_out;
mod temporaries;
mod two_steps;
mod words;

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

#[tokio::test]
async fn aggregates_agree() {
    check_all(aggregates::all()).await;
}

#[tokio::test]
async fn arrays_agree() {
    check_all(arrays::all()).await;
}

#[tokio::test]
async fn closures_agree() {
    check_all(closures::all()).await;
}

#[tokio::test]
async fn sides_agree() {
    check_all(sides::all()).await;
}

#[tokio::test]
async fn copies_agree() {
    check_all(copies::all()).await;
    for case in copies::joined() {
        assert!(tests::check_unordered(&case).await > 6, "{}", case.name);
    }
}

#[tokio::test]
async fn remade_agree() {
    check_all(remade::all()).await;
}

#[tokio::test]
async fn two_steps_agree() {
    check_all(two_steps::all()).await;
}

#[tokio::test]
async fn found_agree() {
    check_all(found::all()).await;
}

#[tokio::test]
async fn what_is_lent_and_changed_agrees() {
    check_all(lent_and_changed::all()).await;
}

#[tokio::test]
async fn lent_parts_agree() {
    check_all(lent_parts::all()).await;
}

#[tokio::test]
async fn what_a_block_lends_agrees() {
    check_all(lent_by_block::all()).await;
}

#[tokio::test]
async fn what_is_taken_out_agrees() {
    check_all(taken_out::all()).await;
}

#[tokio::test]
async fn returned_references_agree() {
    check_all(returned::all()).await;
}

#[tokio::test]
async fn what_outlives_the_function_agrees() {
    check_all(outliving::all()).await;
}

#[tokio::test]
async fn what_is_found_inside_of_variables_agrees() {
    check_all(found_inside::all()).await;
}

#[tokio::test]
async fn what_own_functions_find_in_arguments_agrees() {
    check_all(found_in_given::all()).await;
}

#[tokio::test]
async fn tables_agree() {
    check_all(tables::all()).await;
}

#[tokio::test]
async fn what_is_taken_or_lent_agrees() {
    check_all(taken_or_lent::all()).await;
}

#[tokio::test]
async fn answers_of_blocks_agree() {
    check_all(answers_of_blocks::all()).await;
}

#[tokio::test]
async fn what_methods_are_lent_agrees() {
    check_all(lent_to_methods::all()).await;
}

#[tokio::test]
async fn what_is_given_in_structs_agrees() {
    check_all(given_in_structs::all()).await;
}

#[tokio::test]
async fn loops_behind_references_agree() {
    check_all(behind_references::all()).await;
}

#[tokio::test]
async fn closures_that_take_agree() {
    check_all(closures_that_take::all()).await;
}

#[tokio::test]
async fn references_to_one_of_several_places_agree() {
    check_all(chosen_references::all()).await;
}

#[tokio::test]
async fn clones_and_functions_that_are_chosen_agree() {
    check_all(chosen_clones::all()).await;
}

#[tokio::test]
async fn lists_of_functions_agree() {
    check_all(lists_of_functions::all()).await;
}

#[tokio::test]
async fn what_is_looked_up_in_json_agrees() {
    check_all(looked_up_in_json::all()).await;
}

#[tokio::test]
async fn what_macros_mention_and_what_is_returned_agrees() {
    check_all(mentioned::all()).await;
}

#[tokio::test]
async fn what_a_helper_keeps_agrees() {
    check_all(kept_params::all()).await;
}

#[tokio::test]
async fn what_goes_by_other_names_agrees() {
    check_all(other_names::all()).await;
}

#[tokio::test]
async fn what_is_written_as_the_same_bytes_agrees() {
    check_all(same_bytes::all()).await;
}

#[tokio::test]
async fn tuples_of_references_and_own_values_agree() {
    check_all(mixed_tuples::all()).await;
}

#[tokio::test]
async fn what_is_taken_beside_its_values_agrees() {
    check_all(taken_beside::all()).await;
}

#[tokio::test]
async fn what_is_given_back_agrees() {
    check_all(given_back::all()).await;
}

#[tokio::test]
async fn what_is_inferred_agrees() {
    check_all(inferred::all()).await;
}

#[tokio::test]
async fn what_is_filled_later_agrees() {
    check_all(filled_later::all()).await;
}

#[tokio::test]
async fn state_of_one_owner_agrees() {
    check_all(own_state::all()).await;
}

#[tokio::test]
async fn taken_fields_agree() {
    check_all(taken_fields::all()).await;
}

#[tokio::test]
async fn searches_agree() {
    check_all(searches::all()).await;
}

#[tokio::test]
async fn straight_line() {
    check_all(straight::all()).await;
}

#[tokio::test]
async fn branches_agree() {
    check_all(branches::all()).await;
}

#[tokio::test]
async fn constants_agree() {
    check_all(constants::all()).await;
}

#[tokio::test]
async fn choices_agree() {
    check_all(choices::all()).await;
}

#[tokio::test]
async fn loops_agree() {
    check_all(loops::all()).await;
}

#[tokio::test]
async fn borrows_agree() {
    check_all(borrows::all()).await;
}

#[tokio::test]
async fn helpers_agree() {
    check_all(helpers::all()).await;
}

#[tokio::test]
async fn drops_agree() {
    check_all(drops::all()).await;
}

#[tokio::test]
async fn methods_by_value_agree() {
    check_all(by_value::all()).await;
}

#[tokio::test]
async fn what_is_looked_up_agrees() {
    check_all(looked_up::all()).await;
}

#[tokio::test]
async fn operands_agree() {
    check_all(operands::all()).await;
}

#[tokio::test]
async fn patterns_that_are_matched_again_agree() {
    check_all(matched_again::all()).await;
}

#[tokio::test]
async fn what_goes_by_the_same_name_agrees() {
    check_all(same_names::all()).await;
}

#[tokio::test]
async fn adapters_agree() {
    check_all(adapters::all()).await;
}

#[tokio::test]
async fn references_to_what_has_static_texts_agree() {
    check_all(statics::all()).await;
}

#[tokio::test]
async fn tables_of_functions_agree() {
    check_all(functions::all()).await;
}

#[tokio::test]
async fn asks_in_guards_agree() {
    check_all(guards::all()).await;
}

#[tokio::test]
async fn nested_items_agree() {
    check_all(nested_items::all()).await;
}

#[tokio::test]
async fn temporaries_agree() {
    check_all(temporaries::all()).await;
}

#[tokio::test]
async fn what_changes_agrees() {
    check_all(changed::all()).await;
    check_all(changed::helped::all()).await;
}

#[tokio::test]
async fn arguments_that_are_handed_on_agree() {
    check_all(handed_on::all()).await;
}

#[tokio::test]
async fn values_that_are_taken_apart_agree() {
    check_all(taken_apart::all()).await;
}

#[tokio::test]
async fn items_agree() {
    check_all(items::all()).await;
}

#[tokio::test]
async fn held_iterators_agree() {
    check_all(iterators::all()).await;
}

#[tokio::test]
async fn edges_agree() {
    check_all(edges::all()).await;
}

#[tokio::test]
async fn replaced_agree() {
    check_all(replaced::all()).await;
    for case in replaced::joined() {
        assert!(tests::check_unordered(&case).await > 6, "{}", case.name);
    }
}

#[tokio::test]
async fn spots_agree() {
    check_all(spots::all()).await;
}

#[tokio::test]
async fn moves_agree() {
    check_all(moves::all()).await;
}

#[tokio::test]
async fn words_agree() {
    check_all(words::all()).await;
}

#[tokio::test]
async fn boxed_futures_agree() {
    check_all(boxed::all()).await;
}

#[tokio::test]
async fn limits_agree() {
    check_all(limits::all()).await;
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

#[tokio::test]
async fn references_agree() {
    check_all(references::all()).await;
}

#[tokio::test]
async fn what_is_taken_out_of_something_is_copied_by_its_type() {
    check_all(copied_out::all()).await;
}

#[tokio::test]
async fn handles_in_fields_agree() {
    check_all(held_handles::all()).await;
}

#[tokio::test]
async fn patterns_on_fields_agree() {
    check_all(looked_at::all()).await;
}

#[tokio::test]
async fn values_of_ones_own_in_lists_agree() {
    check_all(kept_in_parts::all()).await;
}

#[tokio::test]
async fn collections_of_indexmap_agree() {
    check_all(ordered::all()).await;
}

#[tokio::test]
async fn everyday_code_agrees() {
    check_all(everyday::all()).await;
}

#[tokio::test]
async fn what_has_a_handles_name_agrees() {
    check_all(handle_names::all()).await;
}

#[tokio::test]
async fn copies_of_items_agree() {
    check_all(item_copies::all()).await;
}

#[tokio::test]
async fn arms_that_ask_nobody_agree() {
    check_all(plain_arms::all()).await;
}

#[tokio::test]
async fn what_is_assigned_somewhere_agrees() {
    check_all(assigned_somewhere::all()).await;
}

#[tokio::test]
async fn what_is_found_by_way_of_references_agrees() {
    check_all(replaced_bases::all()).await;
}

#[tokio::test]
async fn what_macros_and_cfg_say_agrees() {
    check_all(said_in_macros::all()).await;
}
