//! `migrate local`: the bundled DynamoDB as a server on loopback.

use std::path::PathBuf;

use clap::Args;

use super::RemarkArgs;
use super::failure::Exit;
use super::signals::stop_on_signal;
use super::terminal::Terminal;
use crate::target::Embedded;

/// Serve the bundled DynamoDB on this machine, until Ctrl-C
#[derive(Debug, Args)]
#[command(before_help = WHAT, after_help = EXAMPLES)]
pub(crate) struct LocalArgs {
    /// The port on 127.0.0.1; 0 takes a free one
    #[arg(long, value_name = "PORT", default_value_t = 8000, value_parser = parse_port)]
    port: u16,
    /// Keep the tables in this file [default: in memory]
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    file: Option<PathBuf>,
    #[command(flatten)]
    output: RemarkArgs,
}

const WHAT: &str = "\
Serves the bundled DynamoDB on 127.0.0.1, for mappings to load into and AWS tools to look at. Takes any \
credentials and listens to this machine only; it is no database for production.";

const EXAMPLES: &str = "\
Examples:
  migrate local                              http://127.0.0.1:8000, in memory
  migrate local --port 0                     on a free port, which it prints
  migrate local --file .migrate/shop/shop/dynamodb.db
                                             what an \"embedded\" load wrote";

fn parse_port(text: &str) -> Result<u16, String> {
    text.parse().map_err(|_| "expected a port from 0 to 65535".to_owned())
}

pub(crate) async fn run(args: &LocalArgs) -> Exit {
    let terminal = Terminal::new(&args.output.output());
    let mut stop = stop_on_signal(&terminal);
    let served = match Embedded::serve(args.port, args.file.as_deref()) {
        Ok(served) => served,
        Err(error) => return terminal.fail("local", &error.into()),
    };
    terminal.data(&format!("DynamoDB is listening on {}\n", served.endpoint()));
    terminal.remark("use it with `endpoint` in [table] of a mapping, or with any AWS tool and made-up credentials; Ctrl-C ends it");
    // The sender lives as long as the process.
    let _ = stop.wait_for(|stop| *stop).await;
    served.shutdown();
    Exit::Done
}
