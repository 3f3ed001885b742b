impl Server {
    #[allow(
        unused_parens,
        unused_braces,
        unused_labels,
        unreachable_code,
        irrefutable_let_patterns,
        path_statements,
        dropping_references,
        clippy::useless_format
    )]
    async fn straight(context: RequestContext<RoleServer>) -> Result<String, Failure> {
        #[allow(unused_imports)]
        use ::saga_runtime::__private::{
            StdBehindMut as _, StdIndexedMut as _, StdItemsMut as _,
        };
        static __SAGA_FUNCTION: ::saga_runtime::__private::Function = ::saga_runtime::__private::Function {
            name: "straight",
            fingerprint: 8429625597626149927u64,
            points: &[
                ::saga_runtime::__private::Point {
                    key: "count",
                    awaits: "elicit::<Count>",
                    stored: &["id"],
                    next: &[0u32],
                    fingerprint: 11433117998746069385u64,
                    accepts: &[],
                },
            ],
            first: &[0u32, 1u32],
        };
        let mut __saga = ::saga_runtime::__private::Activation::enter(
            &__SAGA_FUNCTION,
            ::saga_runtime::__private::here(&|| ()),
        );
        let __saga_held_across_asks = ::saga_runtime::__private::Arena::new();
        let __saga_arena = &__saga_held_across_asks;
        let mut __saga_slot_1 = ::saga_runtime::__private::Slot::new();
        let mut __saga_slot_2 = ::saga_runtime::__private::Slot::<
            _,
            ::saga_runtime::__private::AsPlain,
        >::new();
        '__saga_end: {
            let mut __saga_state = (&__saga).state();
            '__saga: loop {
                let __saga_asking = '__saga_asked: {
                    __saga_state = '__saga_step: {
                        match __saga_state {
                            0u32 => {
                                #[allow(unused_variables, unused_mut, unused_assignments)]
                                let id = fetch().await?;
                                let __saga_held = &(context.peer);
                                let __saga_handle = ::saga_runtime::__private::handle(
                                    __saga_held,
                                );
                                let __saga_question = ::saga_runtime::__private::Elicit::<
                                    Count,
                                >::new("how many?");
                                (&__saga_slot_2).answers(&__saga_question);
                                let __saga_asking = (&__saga)
                                    .ask(1u32, __saga_handle, __saga_question);
                                (&mut __saga_slot_1).put(id);
                                break '__saga_asked __saga_asking;
                            }
                            1u32 => {
                                #[allow(unused_variables, unused_mut, unused_assignments)]
                                let id = (&mut __saga_slot_1).take();
                                #[allow(unused_variables, unused_mut, unused_assignments)]
                                let __saga_answer_2 = (&mut __saga_slot_2).take();
                                #[allow(unused_variables, unused_mut, unused_assignments)]
                                let __saga_output_3 = __saga_answer_2.saga_output();
                                let count = (__saga_output_3)?;
                                return Ok(format!("{id} {count:?}"));
                            }
                            __saga_at if __saga_at & ::saga_runtime::__private::LOAD
                                != 0 => {
                                '__saga_never: {
                                    break '__saga_never;
                                    ::saga_runtime::__private::choose_form!(
                                        __saga_slot_1, saga_form
                                    );
                                }
                                let __saga_point = __saga_at
                                    ^ ::saga_runtime::__private::LOAD;
                                let __saga_is_read = (&__saga).is_read();
                                if __saga_is_read {
                                    (&mut __saga).request(&context);
                                }
                                if __saga_is_read {
                                    match __saga_point {
                                        1u32 => {
                                            ::saga_runtime::__private::load(
                                                &mut __saga_slot_1,
                                                &mut __saga,
                                                __saga_arena,
                                            );
                                        }
                                        _ => {}
                                    }
                                }
                                match __saga_point {
                                    1u32 => {
                                        ::saga_runtime::__private::load_answer(
                                            &mut __saga_slot_2,
                                            &mut __saga,
                                        )
                                    }
                                    _ => (&mut __saga).load_nothing(),
                                }
                                if (&mut __saga).cannot_go_on() {
                                    break '__saga_end;
                                }
                                if __saga_is_read {}
                                match __saga_point {
                                    1u32 => 1u32,
                                    _ => break '__saga_end,
                                }
                            }
                            __saga_at => {
                                let __saga_point = __saga_at
                                    & !::saga_runtime::__private::SAVE;
                                if let ::core::option::Option::Some(mut __saga_frame) = (&mut __saga)
                                    .stopped()
                                {
                                    #[allow(unused_imports)]
                                    use ::saga_runtime::__private::{
                                        SlotNotShown as _, SlotShown as _,
                                    };
                                    match __saga_point {
                                        1u32 => {
                                            ::saga_runtime::__private::save_shown(
                                                &__saga_slot_1,
                                                &mut __saga_frame,
                                                __saga_arena,
                                                (&&::saga_runtime::__private::ShownIn::slot(&__saga_slot_1))
                                                    .saga_shown(),
                                            );
                                        }
                                        _ => {}
                                    }
                                    __saga_frame.stop();
                                }
                                break '__saga_end;
                            }
                        }
                    };
                    continue '__saga;
                };
                let __saga_asked = __saga_asking.await;
                __saga_state = (&mut __saga).asked(__saga_asked);
            }
        }
        {
            match ::saga_runtime::__private::ended().await {};
        }
    }
}
