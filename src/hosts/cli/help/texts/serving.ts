/** The help of commands that run tasks, or serve. */
import type { CommandText } from '../../../command/command-text.ts'

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
    'The token is HOLDPOINT_MCP_TOKEN, or the one in .holdpoint/mcp-token, which is made at the first start. Requests that come from web pages, or for another host name, are refused.',
    'Who decides: a client signs as `mcp:NAME`, by the name that it gives itself; with HOLDPOINT_ACTOR set for this process, as that. A hold that is put to the person at the client (ask_user) is signed by whom this process runs for, as on the command line. The flags that agents are started with are the most that any client can have them do.',
  ],
  examples: [
    ['holdpoint mcp', 'for one client, that starts it'],
    ['holdpoint mcp -t read_file -t list_files --max-steps 20', 'what is started can only read'],
    ['holdpoint mcp --http --port 0', 'for many, on a free port'],
  ],
}
