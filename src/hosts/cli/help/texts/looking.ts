/** The help of commands that look. */
import type { CommandText } from '../../../command/command.ts'

export const HOLDS: CommandText = {
  about: [
    'A hold is a point past which a run may not go until a person decides: a call that needs approval, a question, a text pause, a call that runs elsewhere, or one that a crash left in doubt. If an agent started the run, its hold says so: `parent > child`.',
    'In a terminal a long request is cut, with a count of what is not shown; elsewhere nothing is cut. `holdpoint show HOLD` shows all of it, what happens at its deadline, and the commands that decide it.',
    'With --watch the list is shown again when something changes, until Ctrl-C. Without a terminal it prints a line for each hold that `opened`, `changed` (reminded, escalated, assigned, approved by one of several) or `closed`; with --json as { "change", "hold" }. Holds that are open at first count as opened, and --limit does not count there.',
    'A call in doubt may have started a command that still runs. `wait HOLD` waits until it runs no more, and `stop HOLD` ends it on this machine; then the hold says what is known of its end. Neither decides: approve runs the call again, answer says what came of it, reject that it failed.',
  ],
  examples: [
    ['holdpoint holds', 'what waits, and since when?'],
    ['holdpoint holds --mine', 'what can I decide?'],
    ['holdpoint holds --assignee @managers --kind approval', 'what do the managers have to approve?'],
    ['holdpoint holds --status all --run run_… --json', 'all that was ever asked in one run'],
    ['holdpoint holds --watch --json | ./notify', 'pass it on as it happens'],
    ['holdpoint holds wait hold_…', 'its agent died: wait for the end of its command'],
  ],
}

export const RUNS: CommandText = {
  about: [
    'Each run with how it stands, what it waits for, and the beginning of what it was told. A run that is `waiting` needs a person. One that is `exported` moved to another store and goes on there. One that is `ready` can go on, and no process works on it: a worker does so, or `holdpoint -c RUN`. With --json it is `running`, and `advancing_by` is null.',
    'With --tree each run stands below the run whose agent started it, even if that one would not be listed by itself; with --json it is in the `children` of that one.',
    '`release RUN` frees a run from a process on a host that is gone: other hosts cannot know that, so they leave the run to it for ever if no worker watches. It is refused while that process lives on this machine. A call that it had begun is in doubt then, and a person is asked. It goes on record.',
  ],
  examples: [
    ['holdpoint runs --status waiting', 'which runs need a person?'],
    ['holdpoint runs --status ready', 'which runs need a worker?'],
    ['holdpoint runs --tree', 'who started whom?'],
    ['holdpoint runs release run_…', 'its host is gone: let others go on with it'],
  ],
}

export const SHOW: CommandText = {
  about: [
    'ID is what another command printed: hold_…, run_…, th_…, task_… or cp_…, or its beginning from four letters on. A hold can also be named by its call, as for `holdpoint approve`. With --json it is all there is to know.',
  ],
  examples: [
    ['holdpoint show hold_…', 'what exactly is asked, and how do I decide it?'],
    ['holdpoint show run_…', 'how does the run stand, and how does it go on?'],
  ],
}

export const THREADS: CommandText = {
  about: [
    '`list` shows each session with how its newest run stands, and what the session began with. `show` shows the messages of one session.',
    'With --human it shows them as people see them: what the agent asked, who answered what, what time did (reminders, escalations, expiries), and which message replies to which.',
    'Without --human it shows them as the model would get them: every tool call has exactly one result, directly behind the message that asked for it, in call order. The calls of a pause have theirs once they are decided.',
  ],
  examples: [
    ['holdpoint threads', 'which sessions are there?'],
    ['holdpoint threads show th_… --human', 'who said what?'],
  ],
}

export const CONTEXT: CommandText = {
  about: [
    'A provider that refuses a message, a picture or a file refuses every later request with it. `drop` leaves it out of what models are sent from here on; a line has its place, and the session still shows it.',
    'PLACE is the number of a message, or of a message and a part in it, such as 12.1. Without PLACE it lists what can be left out, the newest first. The result of a call that a person decided about stays.',
  ],
  examples: [
    ['holdpoint context drop th_…', 'what can be left out?'],
    ['holdpoint context drop th_… 12.1', 'leave this picture out'],
  ],
}

export const CHECKPOINTS: CommandText = {
  about: [
    'A fork is a new session with the same past: what ran before the checkpoint is not run again, what came after it has not happened there, and the old session stays as it is. Budgets go on from where they stood. An approval that was given and not used yet is asked for again there.',
    'REASON says what the run did there, and STEPS counts the model answers up to there:',
    {
      terms: [
        ['step', 'it was about to ask the model'],
        ['pause', 'it waited for a person'],
        ['interrupted', 'a signal stopped it'],
        ['end', 'it was done'],
      ],
    },
  ],
  examples: [
    ['holdpoint checkpoints th_…', 'where can I go back to?'],
    ['holdpoint show cp_…', 'how did the run stand there?'],
    ['holdpoint -c cp_… --fork', 'go on from there, again'],
    ['holdpoint -c cp_… --fork "only on staging this time"', 'at a step: say something else'],
    ['holdpoint -c cp_… --fork --reject tc_1', 'at a pause: decide otherwise'],
  ],
}

export const AUDIT: CommandText = {
  about: [
    'Every hold, decision, refused decision, expiry, override and effect leaves a record, written together with what it records. Each record has a hash over its text and the hash before it: the hash of record N is the sha256 of the hash of record N-1, a line feed, and the text of record N; before the first stand 64 zeros. Records hold ids, digests and codes; what was said and returned is in the journal, to which `event_hash` binds them.',
    {
      terms: [
        [
          'audit',
          'the records, oldest first, a sentence each: who did what, and what came of it; with --json one JSON document on each line, with all digests: that is an export',
        ],
        ['audit verify', 'checks the log of the store, and that it and the journals tell the same'],
        ['audit verify FILE', 'checks an export, offline; `-` is stdin'],
        ['audit explain RUN', 'what released each effect of the run, and that nothing ran of what was refused'],
      ],
    },
    'A chain cannot show that its newest records were taken away, or that all of it was written anew, journals and all. So `verify` prints its head, SEQ:HASH. Keep it out of reach of those who can write the store, and check it later with --head. `verify` and `explain` exit with 0 if all is well, and with 1 if something was found, which they name.',
  ],
  examples: [
    ['holdpoint audit --run run_…', 'what happened in a run'],
    ['holdpoint audit --decisions', 'who decided what, and how it ended'],
    ['holdpoint audit --actor ana --since 2030-01-01', 'what ana did since'],
    ['holdpoint audit --json > audit.jsonl', 'export it'],
    ['holdpoint audit verify audit.jsonl', 'verify the export, anywhere'],
    ['holdpoint audit verify --head 42:9f2c…', 'is everything up to this head still there?'],
    ['holdpoint audit explain run_…', 'why did it do that?'],
  ],
}

export const REPORT: CommandText = {
  about: [
    'Counts the holds of a time, and how long people took to decide them, by person and by tool. It names approvals that ask for a second look: within 2 seconds of being shown, not shown to the end, or never shown to the approver.',
    'It replays rules over what people were asked: each is a standing approval that would have spared several approvals, with the calls that it covers although a person rejected them. It allows nothing by itself.',
    'AN HOUR is the number of decisions in an hour in which there were any, and BUSIEST the most in one. With --json it is one document.',
  ],
  examples: [
    ['holdpoint report', 'the last seven days'],
    ['holdpoint report --since 30d', 'the last thirty'],
    ['holdpoint report --since 2030-01-01 --until 2030-02-01 --json', 'January, for a program'],
  ],
}

export const AGENTS: CommandText = {
  about: [
    'An agent in the background is a task in which an agent runs. It outlives the terminal that spawned it, and it asks as any run does: its calls wait as holds, in `holdpoint holds`, on the page, in chats and mails. AGENT is its name, its id, or the beginning of its id.',
    'Without --interactive its process ends when its run rests, and a message or a decision starts the next one. With --interactive it stays for the next message, until --idle-timeout is over. Both can also be said in the front matter of the agent (interactive, idle_timeout, on_idle) or in the configuration.',
    'Its status is read from rows at each look: queued, spawning, running, waiting (a person is needed), idle, parked (no process; a message goes on with it), killing, killed, done, failed, crashed (`resume` goes on with it), unreachable (its host is gone).',
    'With --worktree it works in .holdpoint-worktrees/NAME, on the branch holdpoint/NAME. Nothing deletes work there that is not committed or not merged, but `rm --discard`.',
    '`respawn` starts one that is over anew, `fork` begins another one from where it stands. `rm` takes one that is over off the list; its session stays.',
  ],
  examples: [
    ['holdpoint agents spawn --worktree --name docs "Bring the docs up to date"', 'and go on with your day'],
    ['holdpoint agents', 'how do they stand? Those that need a person come first'],
    ['holdpoint agents logs docs --follow', 'the conversation, as it goes on'],
    ['holdpoint agents wait docs', 'be told once it needs somebody (exit 10) or is idle'],
    ['holdpoint agents send docs "good, now the README" --wait', 'say something, and get the answer'],
    ['holdpoint agents attach docs', 'the screen of the chat, at that agent'],
    ['holdpoint agents end docs', 'end one that waits for a message'],
    ['holdpoint agents kill docs --reason "no longer needed"', 'stop whatever it does, for good'],
    ['holdpoint agents rm docs', 'off the list, with its worktree'],
  ],
}

export const INIT: CommandText = {
  about: [
    'Writes `.holdpoint/config.json`, `.holdpoint/policy.json` and `.holdpoint/agents/AGENT.md` (default: assistant), explained by their comments, and says what to do next. A file that is there already stays as it is.',
    'Without a key of a model provider in the environment the agent plays a script, `.holdpoint/agents/AGENT.yaml`, which uses its tools: so it needs no key, and costs nothing.',
  ],
  examples: [
    ['holdpoint init', 'here, with an agent called assistant'],
    ['holdpoint init deployer --json', 'the files, and the next command, for a script'],
  ],
}

export const NEW: CommandText = {
  about: [
    'Makes the directory NAME with an agent in TypeScript, two tools of its own (one shows what it would do, and asks), a test, settings and a policy. It plays a script, so it needs no key, and nothing has to be installed before it runs.',
    'An empty directory may be there. Anything else that has the name is refused, and then nothing is written. The project is trusted, because its files come from here.',
  ],
  examples: [
    ['holdpoint new shop', 'a project to play with, and to change'],
    ['cd shop && npm install && npm test', 'its test'],
  ],
}

export const CHAT: CommandText = {
  about: [
    'A conversation in the terminal. What was said stays in its scrollback; a few lines below show what runs, what waits for you, and what you write. The same policy, holds and records count as everywhere else.',
    'What waits never takes the keyboard. Tab goes to it, and only there a letter decides: a approves, r rejects, e edits, A allows it for good, Esc goes back. Enter and the space bar decide nothing. `/approve ID`, `/deny ID WHY` and the like decide without Tab; `/help` lists all commands.',
    'Each message is a run in one session. Ctrl+C stops the run at a safe point, twice leaves, and so does Ctrl+D. What waits then goes on waiting, and can be decided anywhere; `holdpoint chat SESSION` goes on.',
  ],
  examples: [
    ['holdpoint chat', 'with the agent and the model of this project'],
    ['holdpoint chat --agent deployer', 'with another agent'],
    ['holdpoint chat -c last', 'go on with the last session'],
    ['holdpoint chat --plain', 'with a screen reader'],
  ],
}

export const DOCTOR: CommandText = {
  about: [
    'One line for each check of Node, terminal, settings, trust, git, keys, store, agents, model and MCP servers: ok, warn or fail, and what to do. It changes nothing, and makes no store.',
    'It starts the MCP servers of a project that is trusted, asks for their tools, and stops them. The address of the model is asked once, without a key. Of keys it tells the names, never the values.',
    'All of the file of a store is read, its indexes too. Each item has a time limit of its own, and says so if it is late: a big store needs more.',
    'Exits 0 if nothing failed, otherwise 1.',
  ],
  examples: [
    ['holdpoint doctor', 'can agents run here?'],
    ['holdpoint doctor --offline --json', 'without requests, for a script'],
    ['holdpoint doctor --timeout 600', 'for a store of many GB'],
  ],
}

export const DEMO: CommandText = {
  about: [
    "Works in a fresh directory below the system's temporary one, with a scripted model: no key, no server, and nothing of yours is touched. It prints the commands that it runs.",
  ],
  examples: [],
}
