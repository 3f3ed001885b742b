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
    async fn looping(
        __saga_param_0: &Peer<RoleServer>,
        __saga_param_1: &[Host],
    ) -> usize {
        #[allow(unused_imports)]
        use ::saga_runtime::__private::{
            StdBehindMut as _, StdIndexedMut as _, StdItemsMut as _,
        };
        static __SAGA_FUNCTION: ::saga_runtime::__private::Function = ::saga_runtime::__private::Function {
            name: "looping",
            fingerprint: 12937015781687425071u64,
            points: &[
                ::saga_runtime::__private::Point {
                    key: "",
                    awaits: "confirm",
                    stored: &["done", "operand", "place", "source"],
                    next: &[0u32, 1u32],
                    fingerprint: 2231997031280392152u64,
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
        let mut __saga_slot_2 = ::saga_runtime::__private::Slot::new();
        let mut __saga_slot_3 = ::saga_runtime::__private::Slot::new();
        let mut __saga_slot_4 = ::saga_runtime::__private::Slot::<
            _,
            ::saga_runtime::__private::AsPlain,
        >::new();
        let mut __saga_slot_7 = ::saga_runtime::__private::Slot::new();
        let __saga_copying_7 = ::saga_runtime::__private::Copying::new();
        let __saga_witness_2 = ::saga_runtime::__private::Witness::new();
        let __saga_witness_6 = ::saga_runtime::__private::Witness::new();
        '__saga_end: {
            let mut __saga_state = (&__saga).state();
            '__saga: loop {
                __saga_state = '__saga_step: {
                    match __saga_state {
                        0u32 => {
                            #[allow(unused_variables, unused_mut, unused_assignments)]
                            let hosts = __saga_param_1;
                            #[allow(unused_variables, unused_mut, unused_assignments)]
                            let mut done = 0;
                            '__saga_never: {
                                break '__saga_never;
                                (&__saga_witness_2).is(&done);
                            }
                            #[allow(unused_variables, unused_mut, unused_assignments)]
                            let __saga_source_3 = {
                                use ::saga_runtime::__private::{
                                    SourceByKey as _, SourceKept as _, SourceLive as _,
                                };
                                let __saga_items = ::saga_runtime::__private::std_collection(
                                    hosts,
                                );
                                (&&&::saga_runtime::__private::Witness::of(&__saga_items))
                                    .saga_source(__saga_items)
                            };
                            #[allow(unused_variables, unused_mut, unused_assignments)]
                            let mut __saga_place_4 = 0usize;
                            (&mut __saga_slot_4).put(__saga_place_4);
                            (&mut __saga_slot_3).put(__saga_source_3);
                            (&mut __saga_slot_2).put(done);
                            1u32
                        }
                        1u32 => {
                            #[allow(unused_variables, unused_mut, unused_assignments)]
                            let __saga_source_3 = (&mut __saga_slot_3).take();
                            #[allow(unused_variables, unused_mut, unused_assignments)]
                            let mut __saga_place_4 = (&mut __saga_slot_4).take();
                            #[allow(unused_variables, unused_mut, unused_assignments)]
                            let hosts = __saga_param_1;
                            match __saga_source_3
                                .nth(
                                    ::saga_runtime::__private::std_collection(hosts),
                                    __saga_place_4,
                                )
                            {
                                #[allow(unused_variables, unused_mut, unused_assignments)]
                                ::core::option::Option::Some(host) => {
                                    let name = host.name.as_str();
                                    '__saga_never: {
                                        break '__saga_never;
                                        (&__saga_witness_6).is(&name);
                                    }
                                    #[allow(unused_variables, unused_mut, unused_assignments)]
                                    let __saga_operand_7 = format!("{name}?");
                                    '__saga_never: {
                                        break '__saga_never;
                                        (&__saga_slot_7).is(&__saga_operand_7);
                                    }
                                    if !::saga_runtime::__private::rehome(
                                        &mut __saga_slot_7,
                                        __saga_operand_7,
                                        "operand",
                                        &__saga,
                                        __saga_arena,
                                    ) {
                                        break '__saga_end;
                                    }
                                    (&mut __saga_slot_4).put(__saga_place_4);
                                    (&mut __saga_slot_3).put(__saga_source_3);
                                    2u32
                                }
                                _ => 4u32,
                            }
                        }
                        2u32 => {
                            #[allow(unused_variables, unused_mut, unused_assignments)]
                            let mut done = (&mut __saga_slot_2).take();
                            #[allow(unused_variables, unused_mut, unused_assignments)]
                            let __saga_operand_7 = (&mut __saga_slot_7).take();
                            #[allow(unused_variables, unused_mut, unused_assignments)]
                            let peer = __saga_param_0;
                            let __saga_called = {
                                let __saga_function_0 = confirm;
                                match ::core::pin::pin!(
                                    __saga_function_0(peer, { let __saga_copy = (&
                                    __saga_copying_7).copied(& __saga_operand_7); __saga_copy })
                                ) {
                                    __saga_callee => {
                                        (&mut __saga)
                                            .call(
                                                1u32,
                                                ::saga_runtime::__private::Named::function(
                                                    &__saga_function_0,
                                                ),
                                                __saga_callee,
                                            )
                                            .await
                                    }
                                }
                            };
                            match __saga_called {
                                ::saga_runtime::__private::Called::Done(
                                    __saga_result_8,
                                ) => {
                                    if !__saga_result_8 {
                                        {
                                            __saga_state = {
                                                (&mut __saga_slot_2).put(done);
                                                3u32
                                            };
                                            continue '__saga;
                                        };
                                    }
                                    done += 1;
                                    (&mut __saga_slot_2).put(done);
                                    3u32
                                }
                                ::saga_runtime::__private::Called::Suspend(
                                    __saga_suspension,
                                ) => {
                                    if !::saga_runtime::__private::rehome(
                                        &mut __saga_slot_7,
                                        __saga_operand_7,
                                        "operand",
                                        &__saga,
                                        __saga_arena,
                                    ) {
                                        break '__saga_end;
                                    }
                                    (&mut __saga_slot_2).put(done);
                                    (&mut __saga).suspend(__saga_suspension);
                                    ::saga_runtime::__private::SAVE | 1u32
                                }
                            }
                        }
                        3u32 => {
                            #[allow(unused_variables, unused_mut, unused_assignments)]
                            let mut __saga_place_4 = (&mut __saga_slot_4).take();
                            __saga_place_4 += 1;
                            (&mut __saga_slot_4).put(__saga_place_4);
                            1u32
                        }
                        4u32 => {
                            #[allow(unused_variables, unused_mut, unused_assignments)]
                            let mut done = (&mut __saga_slot_2).take();
                            return done;
                        }
                        __saga_at if __saga_at & ::saga_runtime::__private::LOAD
                            != 0 => {
                            '__saga_never: {
                                break '__saga_never;
                                ::saga_runtime::__private::choose_form!(
                                    __saga_slot_2, saga_form
                                );
                                ::saga_runtime::__private::choose_form!(
                                    __saga_slot_3, saga_form
                                );
                                ::saga_runtime::__private::choose_form!(
                                    __saga_slot_7, saga_form
                                );
                            }
                            '__saga_never: {
                                break '__saga_never;
                                #[allow(unused_imports)]
                                use ::saga_runtime::__private::{
                                    CopyingBy as _, CopyingOther as _,
                                };
                                (&__saga_copying_7).of(&__saga_slot_7);
                                (&__saga_copying_7)
                                    .by(
                                        (&&&&&&&&&::saga_runtime::__private::Witness::of_slot(
                                            &__saga_slot_7,
                                        ))
                                            .saga_copying(),
                                    );
                            }
                            let __saga_point = __saga_at
                                ^ ::saga_runtime::__private::LOAD;
                            let __saga_is_read = (&__saga).is_read();
                            if __saga_is_read {
                                (&mut __saga).request(&__saga_param_0);
                            }
                            if __saga_is_read {
                                match __saga_point {
                                    1u32 => {
                                        ::saga_runtime::__private::load(
                                            &mut __saga_slot_2,
                                            &mut __saga,
                                            __saga_arena,
                                        );
                                    }
                                    _ => {}
                                }
                                match __saga_point {
                                    1u32 => {
                                        ::saga_runtime::__private::load(
                                            &mut __saga_slot_7,
                                            &mut __saga,
                                            __saga_arena,
                                        );
                                    }
                                    _ => {}
                                }
                                match __saga_point {
                                    1u32 => {
                                        ::saga_runtime::__private::load(
                                            &mut __saga_slot_4,
                                            &mut __saga,
                                            __saga_arena,
                                        );
                                    }
                                    _ => {}
                                }
                                match __saga_point {
                                    1u32 => {
                                        ::saga_runtime::__private::load(
                                            &mut __saga_slot_3,
                                            &mut __saga,
                                            __saga_arena,
                                        );
                                    }
                                    _ => {}
                                }
                            }
                            match __saga_point {
                                1u32 => (&mut __saga).load_call(),
                                _ => (&mut __saga).load_nothing(),
                            }
                            if (&mut __saga).cannot_go_on() {
                                break '__saga_end;
                            }
                            if __saga_is_read {}
                            match __saga_point {
                                1u32 => 2u32,
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
                                            &__saga_slot_2,
                                            &mut __saga_frame,
                                            __saga_arena,
                                            (&&::saga_runtime::__private::ShownIn::slot(&__saga_slot_2))
                                                .saga_shown(),
                                        );
                                    }
                                    _ => {}
                                }
                                match __saga_point {
                                    1u32 => {
                                        ::saga_runtime::__private::save_shown(
                                            &__saga_slot_7,
                                            &mut __saga_frame,
                                            __saga_arena,
                                            (&&::saga_runtime::__private::ShownIn::slot(&__saga_slot_7))
                                                .saga_shown(),
                                        );
                                    }
                                    _ => {}
                                }
                                match __saga_point {
                                    1u32 => {
                                        ::saga_runtime::__private::save(
                                            &__saga_slot_4,
                                            &mut __saga_frame,
                                            __saga_arena,
                                        );
                                    }
                                    _ => {}
                                }
                                match __saga_point {
                                    1u32 => {
                                        ::saga_runtime::__private::save_shown(
                                            &__saga_slot_3,
                                            &mut __saga_frame,
                                            __saga_arena,
                                            (&&::saga_runtime::__private::ShownIn::slot(&__saga_slot_3))
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
            }
        }
        {
            match ::saga_runtime::__private::ended().await {};
            ::saga_runtime::__private::left_in_part!(__saga_witness_2);
            ::saga_runtime::__private::left!(__saga_witness_6);
        }
    }
}
