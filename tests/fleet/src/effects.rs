//! What the tool does to the outside world, recorded so that it outlives a killed process.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::Path,
};

/// One effect of one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Effect {
    /// The call, by the number in its arguments.
    pub(crate) call: usize,
    pub(crate) name: String,
    /// The JSON-RPC id of the request that the server worked on.
    pub(crate) request: String,
    /// What `saga_runtime::idempotency_key_for(name)` said.
    pub(crate) idempotency_key: String,
}

/// The record of one process. What was written before the process is killed stays written.
pub(crate) struct Recorder(File);

impl Recorder {
    pub(crate) fn new(directory: &Path) -> io::Result<Self> {
        let path = directory.join(format!("{}.effects", std::process::id()));
        let file = File::options().create(true).append(true).open(path)?;
        Ok(Self(file))
    }

    pub(crate) fn record(&self, effect: &Effect) -> io::Result<()> {
        let Effect {
            call,
            name,
            request,
            idempotency_key,
        } = effect;
        let line = format!("{call}\t{name}\t{request}\t{idempotency_key}\n");
        (&self.0).write_all(line.as_bytes())
    }
}

/// Everything that was recorded by any process.
pub(crate) fn recorded(directory: &Path) -> io::Result<Vec<Effect>> {
    let mut effects = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.extension().is_none_or(|kind| kind != "effects") {
            continue;
        }
        let text = fs::read_to_string(&path)?;
        for line in text.split_inclusive('\n') {
            // The effect during which the process was killed did not happen.
            let Some(line) = line.strip_suffix('\n') else {
                continue;
            };
            let malformed = || io::Error::other(format!("{}: {line:?}", path.display()));
            effects.push(parsed(line).ok_or_else(malformed)?);
        }
    }
    Ok(effects)
}

fn parsed(line: &str) -> Option<Effect> {
    let mut fields = line.split('\t');
    let effect = Effect {
        call: fields.next()?.parse().ok()?,
        name: fields.next()?.to_owned(),
        request: fields.next()?.to_owned(),
        idempotency_key: fields.next()?.to_owned(),
    };
    fields.next().is_none().then_some(effect)
}
