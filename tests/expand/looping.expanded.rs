impl Server {
    #[allow(
        unused_mut,
        unused_variables,
        unused_assignments,
        unused_parens,
        unused_braces,
        unused_labels,
        unreachable_code,
        irrefutable_let_patterns,
        path_statements,
        dropping_references,
        deprecated,
        clippy::all
    )]
    async fn looping(
        __saga_param_0: &Peer<RoleServer>,
        __saga_param_1: &[Host],
    ) -> usize {
        static __SAGA_FUNCTION: ::saga_runtime::__private::Function = ::saga_runtime::__private::Function {
            name: "looping",
            fingerprint: 11954121805168787216u64,
            points: &[
                ::saga_runtime::__private::Point {
                    key: "",
                    awaits: "confirm",
                    stored: &["done", "place", "operand"],
                    next: &[0u32, 1u32],
                },
            ],
            first: &[0u32, 1u32],
        };
        #[allow(non_camel_case_types)]
        enum __SagaState<S0, S1, S2, S3, S4> {
            S0(S0),
            S1(S1),
            S2(S2),
            S3(S3),
            S4(S4),
        }
        let mut __saga = ::saga_runtime::__private::Activation::enter(&__SAGA_FUNCTION);
        let __saga_witness_2 = ::saga_runtime::__private::Witness::new();
        '__saga_end: {
            let mut __saga_state = match __saga.point() {
                0u32 => __SagaState::S0(()),
                __saga_point => {
                    let __saga_restored = (|| -> ::core::result::Result<
                        __SagaState<_, _, _, _, _>,
                        ::saga_runtime::__private::Stop,
                    > {
                        ::core::result::Result::Ok(
                            match __saga_point {
                                1u32 => {
                                    let __saga_restored_2 = ::saga_runtime::__private::restore(
                                        &mut __saga,
                                    )?;
                                    let __saga_restored_3 = ::saga_runtime::__private::restore(
                                        &mut __saga,
                                    )?;
                                    let __saga_restored_6 = ::saga_runtime::__private::restore(
                                        &mut __saga,
                                    )?;
                                    __saga.restored_call()?;
                                    __SagaState::S2((
                                        __saga_restored_2,
                                        __saga_restored_3,
                                        __saga_restored_6,
                                    ))
                                }
                                _ => {
                                    return ::core::result::Result::Err(
                                        ::saga_runtime::__private::no_such_point(),
                                    );
                                }
                            },
                        )
                    })();
                    match __saga_restored {
                        ::core::result::Result::Ok(__saga_state) => __saga_state,
                        ::core::result::Result::Err(__saga_stop) => {
                            __saga.abandon(__saga_stop);
                            break '__saga_end;
                        }
                    }
                }
            };
            '__saga: loop {
                __saga_state = '__saga_step: {
                    match __saga_state {
                        __SagaState::S0(()) => {
                            let mut done = 0;
                            '__saga_never: {
                                break '__saga_never;
                                __saga_witness_2.is(&done);
                            }
                            let mut __saga_place_3 = 0usize;
                            __SagaState::S1((done, __saga_place_3))
                        }
                        __SagaState::S1((mut done, mut __saga_place_3)) => {
                            let hosts = __saga_param_1;
                            match ::saga_runtime::__private::nth(hosts, __saga_place_3) {
                                ::core::option::Option::Some(host) => {
                                    let name = host.name.as_str();
                                    let __saga_operand_6 = format!("{name}?");
                                    __SagaState::S2((done, __saga_place_3, __saga_operand_6))
                                }
                                _ => __SagaState::S4((done,)),
                            }
                        }
                        __SagaState::S2(
                            (mut done, mut __saga_place_3, __saga_operand_6),
                        ) => {
                            let peer = __saga_param_0;
                            let __saga_called = match ::core::pin::pin!(
                                confirm(peer, ::core::clone::Clone::clone(&
                                __saga_operand_6))
                            ) {
                                __saga_callee => __saga.call(1u32, __saga_callee).await,
                            };
                            match __saga_called {
                                ::saga_runtime::__private::Called::Done(
                                    __saga_result_7,
                                ) => {
                                    if !__saga_result_7 {
                                        {
                                            __saga_state = __SagaState::S3((done, __saga_place_3));
                                            continue '__saga;
                                        };
                                    }
                                    done += 1;
                                    __SagaState::S3((done, __saga_place_3))
                                }
                                ::saga_runtime::__private::Called::Suspend(
                                    mut __saga_suspension,
                                ) => {
                                    ::saga_runtime::__private::store(
                                        &mut __saga_suspension,
                                        &done,
                                    );
                                    ::saga_runtime::__private::store(
                                        &mut __saga_suspension,
                                        &__saga_place_3,
                                    );
                                    ::saga_runtime::__private::store(
                                        &mut __saga_suspension,
                                        &__saga_operand_6,
                                    );
                                    __saga_suspension.stop();
                                    break '__saga_end;
                                }
                            }
                        }
                        __SagaState::S3((mut done, mut __saga_place_3)) => {
                            __saga_place_3 += 1;
                            __SagaState::S1((done, __saga_place_3))
                        }
                        __SagaState::S4((mut done,)) => {
                            return done;
                        }
                    }
                };
            }
        }
        {
            match ::saga_runtime::__private::ended().await {};
            ::saga_runtime::__private::left_in_part!(__saga_witness_2);
        }
    }
}
