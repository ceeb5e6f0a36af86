/** The help of commands that run tasks, or serve. */
import type { CommandText } from '../../../command/command.ts'

export const TASKS: CommandText = {
  about: [
    'A task is a process with an id that outlives it: agents start them with run_command_task and subagent_task, MCP clients through `holdpoint mcp`. One that exits with 10 is `paused`: it needs a person. A sub-agent that is paused goes on under the same id when what it waits for is decided, here, with `holdpoint approve` or anywhere else. The task of a background agent also goes by the name of the agent.',
    '`wait` exits as a run does: 10 if a task is paused, else 1 if one is not completed or --timeout was over, else 0. With --any, tasks that are still under way do not count. The tasks go on, however the wait ends.',
    '`logs` writes stdout to stdout and stderr to stderr, as it was printed; of very long output the beginning and the end are kept. With --follow and --json it writes a line of JSON for each piece.',
    '`resume` without a decision or a text goes on with what was decided elsewhere, or was interrupted: its process was killed, or lacked a key. Without -c a decision is for what the task waits for now.',
  ],
  examples: [
    ['holdpoint tasks --status paused', 'which tasks need a person?'],
    ['holdpoint tasks show task_…', 'how it stands, with every pending call in full'],
    ['holdpoint tasks logs task_… --follow', 'what it prints'],
    ['holdpoint tasks wait task_… task_… --timeout 600', 'until both rest'],
    ['holdpoint tasks resume task_… --approve tc_1', 'decide, and go on'],
    ['holdpoint tasks resume task_… "yes, in eu-west-1"', 'answer its question'],
    ['holdpoint tasks resume task_…', 'go on with what was decided elsewhere, or was interrupted'],
    ['holdpoint tasks cancel task_… --reason "no longer needed"', 'end it for good'],
  ],
}

export const WORK: CommandText = {
  about: [
    "A worker takes up each run that is `running` and that no process works on: one that a decision or a deadline made ready, one that was told something, and also one whose process died or was stopped with Ctrl-C. It sleeps until something changes or is due. Several workers may share one store; each run is advanced by one at a time. A run goes on with the agent file as this worker loaded it first, and with the keys of this worker's environment: restart it when one of them changes. A run that cannot go on is tried again after 1 s, 2 s, 4 s … 5 min, and at once when its journal grows.",
    'SIGTERM, SIGINT or SIGHUP drains: no further run is begun, and those under way may come to rest. After the grace, or at a second signal, they are stopped at a safe point, and any worker goes on with them. A third signal ends the process.',
    'Exits with 0 after SIGTERM, 130 after SIGINT, 129 after SIGHUP. With --once it exits with 0, or with 1 if a run could not be advanced; runs that others work on are left to them.',
    'With --engine graphile, in a store in PostgreSQL, the package graphile-worker gives each ready run to one worker. It only wakes: each worker also looks at the store every 2 seconds.',
    'If the configuration has a retention, like { "days": 90 }, it deletes what `holdpoint prune` would, now and once a day.',
    'It tells what happens on stdout, and trouble on stderr. With --json each is a line on stdout: worker.started, run.taken, run.advanced (with what `-o json` says of the run), run.failed, hold.reminded, hold.escalated, hold.expired, due.failed, work.failed, store.pruned, worker.stopped. With --log json each event is a line of JSON on stderr, with ids and without content.',
  ],
  examples: [
    ['holdpoint work', 'beside people who decide with `holdpoint approve`'],
    ['holdpoint work --once && deploy', 'in cron or CI: do what can be done, then end'],
  ],
}

export const MCP: CommandText = {
  about: [
    'Clients of the Model Context Protocol (agents, editors, chat programs) get the same controls that people have here: start commands and agents as tasks, wait for them, see what they ask, decide holds, resume. Tasks outlive this process: when one client goes and another one comes, everything is still there.',
    'Without --http it serves the one client that starts it, on stdin and stdout; logs go to stderr. Most clients take this:',
    {
      lines: [
        '{',
        '  "mcpServers": {',
        '    "holdpoint": {',
        '      "command": "holdpoint",',
        '      "args": ["mcp"],',
        '      "cwd": "/path/to/your/project"',
        '    }',
        '  }',
        '}',
      ],
    },
    'If a client knows no "cwd": "command": "sh", "args": ["-c", "cd /path/to/your/project && exec holdpoint mcp"].',
    'With --http it listens on http://127.0.0.1:4653/mcp until SIGTERM or Ctrl-C:',
    {
      lines: [
        '{',
        '  "mcpServers": {',
        '    "holdpoint": {',
        '      "url": "http://127.0.0.1:4653/mcp",',
        '      "headers": { "Authorization": "Bearer TOKEN" }',
        '    }',
        '  }',
        '}',
      ],
    },
    'The token is HOLDPOINT_MCP_TOKEN, or one in a file that is made at the first start, outside of the project: stderr names it. Requests that come from web pages, or for another host name, are refused.',
    'Who decides: a client signs as `mcp:NAME`, by the name that it gives itself; with HOLDPOINT_ACTOR set for this process, as that. A hold that is put to the person at the client (ask_user) is signed by whom this process runs for, as on the command line. The flags that agents are started with are the most that any client can have them do.',
  ],
  examples: [
    ['holdpoint mcp', 'for one client, that starts it'],
    ['holdpoint mcp -t read_file -t list_files --max-steps 20', 'what is started can only read'],
    ['holdpoint mcp --http --port 0', 'for many, on a free port'],
  ],
}

export const SERVE: CommandText = {
  about: [
    'Any program that speaks HTTP can start runs, see what waits, and decide. The server listens on http://127.0.0.1:4747 until SIGTERM or Ctrl-C. Then it takes no more requests, runs come to rest as with `holdpoint work`, and it exits with 0.',
    'Every request needs `Authorization: Bearer TOKEN`, and the token signs: nothing in a body does. Your token is HOLDPOINT_SERVER_TOKEN, or one that is made for your user alone, outside of the project: `holdpoint tokens own` prints it. With it you sign as HOLDPOINT_ACTOR or your login.',
    'To see what waits:',
    {
      lines: ['token=$(holdpoint tokens own)', 'curl --oauth2-bearer "$token" 127.0.0.1:4747/v1/holds'],
    },
    'Other people get tokens of their own: `holdpoint tokens`. If other machines reach the server, it takes TLS (--tls-cert, --tls-key) or a proxy with TLS (--behind-proxy), and only tokens that were added count.',
    'Clients of MCP use the same port and the same tokens, at /mcp: there agents are tools, and people decide at their client.',
    'Requests that come from web pages of other sites, or for another host name, are refused.',
    'With --metrics Prometheus reads figures at /metrics with the token of an admin, and with --metrics-port on a port of their own. With --otlp, or OTEL_EXPORTER_OTLP_ENDPOINT, traces go to a collector of OpenTelemetry. With --log json stderr has one JSON object for each event, with ids and without content.',
    'The server advances runs as `holdpoint work` does. With --no-work it leaves that to other workers.',
    'If hosts share the store, --address says under which URL the others reach this one: `tasks logs` and `agents attach` on another host then go over it, with the token of who asks.',
  ],
  examples: [
    ['holdpoint serve', 'on this machine'],
    ['holdpoint serve --no-work', 'beside workers of their own'],
  ],
}

export const INBOX: CommandText = {
  about: [
    'A page in your browser shows what waits, each call in full, and decides it. Use it on a phone-sized screen, or by keys: `?` lists them.',
    'If no `holdpoint serve` runs for this project, a server is started on this machine, and advances runs, until Ctrl-C. The link on stdout signs one browser in as HOLDPOINT_ACTOR or your login: once, and within five minutes. In a terminal your browser opens it ($BROWSER names another one).',
    'The browser stays signed in for 30 days, or until you sign out. Other people sign in with tokens of their own: `holdpoint tokens`.',
  ],
  examples: [
    ['holdpoint inbox', 'see all that waits'],
    ['holdpoint inbox hold_3k9p', 'decide this one'],
    ['holdpoint inbox --no-open', 'print the link, for a browser of your choice'],
  ],
}

export const TOKENS: CommandText = {
  about: [
    'The bearer of a token signs with its NAME. A viewer looks; a decider also decides holds; an operator also starts, tells and cancels runs; an admin also revokes grants. Give each person a token of their own: decisions are on record under its name.',
    'The token is shown once, on stdout: the store keeps a digest of it alone. `revoke` takes the id of a token, or a NAME for all of its tokens and every browser in which that person is signed in. A server knows of both at once. Agents can add and revoke none.',
    '`own` prints your own token, for the server that you start on this machine. It is kept below $XDG_STATE_HOME/holdpoint or ~/.local/state/holdpoint.',
  ],
  examples: [
    ['holdpoint tokens add ben --role decider --expires 30d', 'ben may decide for a month'],
    ['holdpoint tokens', 'who may use the server?'],
    ['holdpoint tokens revoke ben', 'ben may not any more'],
    ['export HOLDPOINT_TOKEN=$(holdpoint tokens own)', 'use your own server from this terminal'],
  ],
}

export const NOTICES: CommandText = {
  about: [
    'People and programs are told of holds by the channels in .holdpoint/config.json: webhook, command, slack, mail, github. `holdpoint work` and `holdpoint serve` send notices as long as one of them runs.',
    'A notice that a channel does not take is tried ten times, up to six hours apart; then it is given up, and --failed shows it. `retry` makes it due again.',
    '`send` sends what is due now and ends, for pipelines in which nothing keeps running. `test` sends a message that asks nothing: to you alone, by the address that `people` has for HOLDPOINT_ACTOR or your login.',
  ],
  examples: [
    ['holdpoint notices --failed', 'what could nobody be told?'],
    ['holdpoint notices retry ntc_3k9p0', 'try it again'],
    ['holdpoint notices test slack', 'does the channel work?'],
  ],
}

export const DAEMON: CommandText = {
  about: [
    'A store has one daemon, and one in PostgreSQL has one on each host. It starts background agents when their turn comes (max_concurrent), settles those whose process was killed, wakes agents whose holds were decided, fires deadlines, sends notices, and advances runs that are no agents in the background. `holdpoint daemon start` starts it in the background; such a daemon ends after five minutes without anything to do.',
    'Agents have processes of their own. If the daemon ends or is killed, they go on, and the next daemon knows them.',
    'It answers the requests of `holdpoint serve` on a socket that only your user can reach. `holdpoint daemon status` tells the address, which every command takes as --server or HOLDPOINT_SERVER.',
    'Without a word it runs here until SIGTERM, Ctrl-C or `holdpoint daemon stop`. Runs that it advances itself come to rest first.',
    '`gc` removes what killed processes left behind: rows, sockets, and output of tasks that were deleted. It removes nothing of the work of an agent.',
  ],
  examples: [
    ['holdpoint daemon start', 'in the background, unless it runs already'],
    ['holdpoint daemon status', 'exit code 1 if there is none'],
    ['export HOLDPOINT_SERVER=$(holdpoint daemon status --json | jq -r .daemon.server)', 'ask it, not the store'],
    ['holdpoint daemon stop --drain', 'before an upgrade'],
  ],
}
