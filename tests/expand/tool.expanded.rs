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
    #[tool(
        description = "A tool",
        input_schema = ::saga_runtime::__private::with_forms(
            ::saga_runtime::__private::input_schema::<Args>(),
            "deploy",
            {use::saga_runtime::__private::AnyForm
            as
            _;[::saga_runtime::__private::FormOf::<Target>::new().problem()]}
        ),
        output_schema = ::saga_runtime::__private::rmcp::handler::server::tool::schema_for_output::<Report>(

        )
    )]
    fn deploy(
        &self,
        __saga_call: ::saga_runtime::__private::CallWith<Parameters<Args>>,
        peer: Peer<RoleServer>,
    ) -> ::saga_runtime::__private::Serving<
        '_,
        ::saga_runtime::__private::rmcp::model::CallToolResponse,
    > {
        let _ = ::saga_runtime::__private::tool_param::<Self, Peer<RoleServer>>;
        let _ = ::saga_runtime::__private::tool_param::<Self, Parameters<Args>>;
        let (__saga_call, __saga_param_1) = __saga_call.split();
        let mut __saga_param_1 = {
            use ::saga_runtime::__private::{
                RootChecked as _, RootShown as _, RootUnchecked as _,
            };
            (&&&::saga_runtime::__private::Witness::of(&__saga_param_1))
                .saga_root(__saga_param_1, &__saga_call)
        };
        ::saga_runtime::__private::as_is! {
            ::saga_runtime::__private::serve_tool(__saga_call, async move { if let
            ::core::option::Option::Some(__saga_return) = ::core::option::Option::None::
            < Json < Report > > { return __saga_return; } #[allow(unused_imports)] use
            ::saga_runtime::__private:: { StdBehindMut as _, StdIndexedMut as _,
            StdItemsMut as _ }; static __SAGA_FUNCTION :
            ::saga_runtime::__private::Function = ::saga_runtime::__private::Function {
            name : "deploy", fingerprint : 10051848521408987104u64, points : &
            [::saga_runtime::__private::Point { key : "target", awaits :
            "elicit::<Target>", stored : & ["service"], next : & [0u32], fingerprint :
            17495932844140883905u64, accepts : & [], }], first : & [1u32], }; let mut
            __saga = ::saga_runtime::__private::Activation::enter(& __SAGA_FUNCTION,
            ::saga_runtime::__private::here(& || ()),); let __saga_held_across_asks =
            ::saga_runtime::__private::Arena::new(); let __saga_arena = &
            __saga_held_across_asks; let mut __saga_slot_2 =
            ::saga_runtime::__private::Slot::new(); let mut __saga_slot_3 =
            ::saga_runtime::__private::Slot:: < _, ::saga_runtime::__private::AsPlain >
            ::new(); (& mut __saga_param_1).resume(& mut __saga); '__saga_end : { let mut
            __saga_state = (& __saga).state(); '__saga : loop { let __saga_asking =
            '__saga_asked : { __saga_state = '__saga_step : { match __saga_state { 0u32
            => { #[allow(unused_variables, unused_mut, unused_assignments)] let
            ::core::option::Option::Some(Parameters(args)) = (& mut __saga_param_1)
            .take() else { (& __saga).gone(); break '__saga_end; };
            #[allow(unused_variables, unused_mut, unused_assignments)] let service = args
            .service; '__saga_never : { break '__saga_never; (& __saga_slot_2).is(&
            service); } let __saga_held = & (peer); let __saga_handle =
            ::saga_runtime::__private::handle(__saga_held); let __saga_question =
            ::saga_runtime::__private::Elicit:: < Target > ::new("Where to?"); (&
            __saga_slot_3).answers(& __saga_question); let __saga_asking = (& __saga)
            .ask(1u32, __saga_handle, __saga_question); if !
            ::saga_runtime::__private::rehome(& mut __saga_slot_2, service, "service", &
            __saga, __saga_arena) { break '__saga_end; } break '__saga_asked
            __saga_asking; } 1u32 => { #[allow(unused_variables, unused_mut,
            unused_assignments)] let service = (& mut __saga_slot_2).take();
            #[allow(unused_variables, unused_mut, unused_assignments)] let
            __saga_answer_3 = (& mut __saga_slot_3).take(); #[allow(unused_variables,
            unused_mut, unused_assignments)] let __saga_output_4 = __saga_answer_3
            .saga_output(); return match
            ::saga_runtime::__private::value(__saga_output_4) { Ok(Some(answer)) =>
            Json(Report { service, target : Some(answer.target) }), _ => Json(Report {
            service, target : None }), }; } __saga_at if __saga_at &
            ::saga_runtime::__private::LOAD != 0 => { '__saga_never : { break
            '__saga_never; ::saga_runtime::__private::choose_form!(__saga_slot_2,
            saga_again); } let __saga_point = __saga_at ^
            ::saga_runtime::__private::LOAD; let __saga_is_read = (& __saga).is_read();
            if __saga_is_read { (& mut __saga).request(& peer); } if __saga_is_read {
            match __saga_point { 1u32 => { ::saga_runtime::__private::load(& mut
            __saga_slot_2, & mut __saga, __saga_arena); } _ => {} } } match __saga_point
            { 1u32 => ::saga_runtime::__private::load_answer(& mut __saga_slot_3, & mut
            __saga), _ => (& mut __saga).load_nothing(), } if (& mut __saga)
            .cannot_go_on() { break '__saga_end; } if __saga_is_read { match __saga_point
            { 1u32 if ::saga_runtime::__private::is_rematerialized(& __saga_slot_2,
            __saga_arena) => { #[allow(unused_variables, unused_mut, unused_assignments)]
            let ::core::option::Option::Some(Parameters(args)) = (& mut __saga_param_1)
            .take() else { (& __saga).gone(); break '__saga_end; }; let service = args
            .service; (& mut __saga_slot_2).put(service); } _ => {} } } match
            __saga_point { 1u32 => 1u32, _ => break '__saga_end, } } __saga_at => { let
            __saga_point = __saga_at & ! ::saga_runtime::__private::SAVE; if let
            ::core::option::Option::Some(mut __saga_frame) = (& mut __saga).stopped() {
            #[allow(unused_imports)] use ::saga_runtime::__private:: { SlotNotShown as _,
            SlotShown as _ }; (& __saga_param_1).save(& mut __saga_frame); match
            __saga_point { 1u32 => { ::saga_runtime::__private::save_shown(&
            __saga_slot_2, & mut __saga_frame, __saga_arena, (&&
            ::saga_runtime::__private::ShownIn::slot(& __saga_slot_2)).saga_shown(),); }
            _ => {} } match __saga_point { 1u32 if
            ::saga_runtime::__private::is_compared(& __saga_slot_2, __saga_arena) => {
            #[allow(unused_variables, unused_mut, unused_assignments)] let
            ::core::option::Option::Some(Parameters(args)) = (& mut __saga_param_1)
            .take() else { (& __saga).gone(); break '__saga_end; }; let service = args
            .service; ::saga_runtime::__private::compare(& __saga_slot_2, & service, &
            mut __saga_frame, __saga_arena); } _ => {} } __saga_frame.stop(); } break
            '__saga_end; } } }; continue '__saga; }; let __saga_asked = __saga_asking.
            await; __saga_state = (& mut __saga).asked(__saga_asked); } } { match
            ::saga_runtime::__private::ended(). await {}; } })
        }
    }
}
