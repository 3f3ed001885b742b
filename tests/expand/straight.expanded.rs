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
    async fn straight(context: RequestContext<RoleServer>) -> Result<String, Failure> {
        static __SAGA_FUNCTION: ::saga_runtime::__private::Function = ::saga_runtime::__private::Function {
            name: "straight",
            fingerprint: 13107904249910850594u64,
            points: &[
                ::saga_runtime::__private::Point {
                    key: "count",
                    awaits: "elicit::<Count>",
                    stored: &["id"],
                    next: &[0u32],
                },
            ],
            first: &[0u32, 1u32],
        };
        #[allow(non_camel_case_types)]
        enum __SagaState<S0, S1> {
            S0(S0),
            S1(S1),
        }
        let mut __saga = ::saga_runtime::__private::Activation::enter(&__SAGA_FUNCTION);
        let __saga_witness_1 = ::saga_runtime::__private::Witness::new();
        '__saga_end: {
            let mut __saga_state = match __saga.point() {
                0u32 => __SagaState::S0(()),
                __saga_point => {
                    let __saga_restored = (|| -> ::core::result::Result<
                        __SagaState<_, _>,
                        ::saga_runtime::__private::Stop,
                    > {
                        ::core::result::Result::Ok(
                            match __saga_point {
                                1u32 => {
                                    let __saga_restored_1 = ::saga_runtime::__private::restore(
                                        &mut __saga,
                                    )?;
                                    let __saga_restored_2 = __saga.answer()?;
                                    __SagaState::S1((__saga_restored_1, __saga_restored_2))
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
                            let id = fetch().await?;
                            '__saga_never: {
                                break '__saga_never;
                                __saga_witness_1.is(&id);
                            }
                            {
                                let __saga_question = ::saga_runtime::__private::Elicit::<
                                    Count,
                                >::new("how many?");
                                match __saga
                                    .ask(1u32, &(context.peer), __saga_question)
                                    .await
                                {
                                    ::saga_runtime::__private::Asked::Answer(
                                        __saga_answer_2,
                                    ) => __SagaState::S1((id, __saga_answer_2)),
                                    ::saga_runtime::__private::Asked::Suspend(
                                        mut __saga_suspension,
                                    ) => {
                                        ::saga_runtime::__private::store(
                                            &mut __saga_suspension,
                                            &id,
                                        );
                                        __saga_suspension.stop();
                                        break '__saga_end;
                                    }
                                }
                            }
                        }
                        __SagaState::S1((id, __saga_answer_2)) => {
                            let __saga_output_3 = __saga_answer_2.output();
                            let count = __saga_output_3?;
                            return Ok(format!("{id} {count:?}"));
                        }
                    }
                };
            }
        }
        {
            match ::saga_runtime::__private::ended().await {};
            ::saga_runtime::__private::stored!(__saga_witness_1);
        }
    }
}
