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
    #[tool(
        description = "A tool",
        output_schema = ::saga_runtime::__private::rmcp::handler::server::tool::schema_for_output::<Report>(

        )
    )]
    async fn deploy(
        &self,
        __saga_call: ::saga_runtime::__private::Call,
        peer: Peer<RoleServer>,
        __saga_param_1: Parameters<Args>,
    ) -> ::core::result::Result<
        ::saga_runtime::__private::rmcp::model::CallToolResponse,
        ::saga_runtime::__private::rmcp::ErrorData,
    > {
        let mut __saga_param_1 = ::saga_runtime::__private::Root::new(
            __saga_param_1,
            &__saga_call,
        );
        ::saga_runtime::__private::as_is! {
            ::saga_runtime::__private::serve_tool(__saga_call, async move { if let
            ::core::option::Option::Some(__saga_return) = ::core::option::Option::None::
            < Json < Report > > { return __saga_return; } static __SAGA_FUNCTION :
            ::saga_runtime::__private::Function = ::saga_runtime::__private::Function {
            name : "deploy", fingerprint : 4095938335415997480u64, points : &
            [::saga_runtime::__private::Point { key : "target", awaits :
            "elicit::<Target>", stored : & [], next : & [0u32], }], first : & [1u32], };
            #[allow(non_camel_case_types)] enum __SagaState < S0, S1 > { S0(S0), S1(S1) }
            let mut __saga = ::saga_runtime::__private::Activation::enter(&
            __SAGA_FUNCTION); '__saga_end : { let mut __saga_state = match __saga.point()
            { 0u32 => __SagaState::S0(()), __saga_point => { let __saga_restored = (|| ->
            ::core::result::Result < __SagaState < _, _ >,
            ::saga_runtime::__private::Stop, > { ::core::result::Result::Ok(match
            __saga_point { 1u32 => { let __saga_restored_3 = __saga.answer() ?;
            __SagaState::S1((__saga_restored_3,)) } _ => return
            ::core::result::Result::Err(::saga_runtime::__private::no_such_point()), })
            }) (); match __saga_restored { ::core::result::Result::Ok(__saga_state) =>
            __saga_state, ::core::result::Result::Err(__saga_stop) => { __saga
            .abandon(__saga_stop); break '__saga_end; } } } }; '__saga : loop {
            __saga_state = '__saga_step : { match __saga_state { __SagaState::S0(()) => {
            let ::core::option::Option::Some(Parameters(args)) = __saga_param_1.take()
            else { __saga.gone(); break '__saga_end; }; let service = args.service; { let
            __saga_question = ::saga_runtime::__private::Elicit:: < Target >
            ::new("Where to?"); match __saga.ask(1u32, & (peer), __saga_question). await
            { ::saga_runtime::__private::Asked::Answer(__saga_answer_3) =>
            __SagaState::S1((__saga_answer_3,)),
            ::saga_runtime::__private::Asked::Suspend(mut __saga_suspension) => {
            __saga_suspension.stop(); break '__saga_end; } } } }
            __SagaState::S1((__saga_answer_3,)) => { let
            ::core::option::Option::Some(Parameters(args)) = __saga_param_1.take() else {
            __saga.gone(); break '__saga_end; }; let service = args.service; let
            __saga_output_4 = __saga_answer_3.output(); return match __saga_output_4 {
            Ok(Some(answer)) => Json(Report { service, target : Some(answer.target) }), _
            => Json(Report { service, target : None }), }; } } }; } } { match
            ::saga_runtime::__private::ended(). await {}; } }). await
        }
    }
}
