//! `migrate local`: the bundled DynamoDB as a server on loopback.

use std::path::PathBuf;

use clap::Args;

use super::RemarkArgs;
use super::failure::Exit;
use super::signals::stop_on_signal;
use super::terminal::Terminal;
use crate::target::Embedded;

/// Serve the bundled DynamoDB on loopback until Ctrl-C
#[derive(Debug, Args)]
pub(crate) struct LocalArgs {
    /// The port; 0 takes a free one
    #[arg(long, default_value_t = 8000, value_parser = parse_port)]
    port: u16,
    /// Keep the tables in this file [default: in memory]
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    #[command(flatten)]
    output: RemarkArgs,
}

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
