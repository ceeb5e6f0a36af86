import type { Command } from '../command/command.ts'
import { type Flag, JSON_FLAG, KEY_FLAG, STORE_FLAG } from '../command/flags.ts'
import { DECIDING_COMMANDS } from './deciding-commands.ts'
import { MCP_ABOUT, MCP_FLAGS } from './mcp-command.ts'
import { TASKS_COMMAND } from './tasks-command.ts'

const POLICY_FLAG: Flag = { name: 'policy', value: 'FILE', help: 'the policy (default .holdpoint/policy.json)' }
const AGENT_FLAG: Flag = { name: 'agent', value: 'FILE', help: 'the agent whose policy and tools count' }

/** In the order in which the help lists them. */
export const COMMANDS: readonly Command[] = [
  {
    name: 'holds',
    usage: '[filters] [--limit N] [--after HOLD] [--watch]',
    summary: 'list what waits for somebody, oldest first',
    about:
      'A hold is a point past which a run may not go until somebody decides: a call that needs approval, a question, a\ntext pause, a call that runs elsewhere, or one that a crash left in doubt. Where an agent started the run, its hold says\nso: `parent > child`. Nothing is cut without a count of what is\nnot shown; `holdpoint show HOLD` shows all of it, what happens at its deadline, and the commands that decide it.\n\nWith --watch it shows them again whenever something changes, until Ctrl-C: in a terminal the list, elsewhere a line\nfor each hold that `opened`, `changed` (reminded, escalated, assigned, approved by one of several) or `closed`, with\n--json as { "change", "hold" }. Those that are open at first count as opened; --limit counts for the list\nin a terminal alone.\n\nExamples:\n  holdpoint holds                                   what waits, and since when?\n  holdpoint holds --mine                            what can I do something about?\n  holdpoint holds --assignee @managers --kind approval\n  holdpoint holds --status all --run run_… --json   all that was ever asked in one run\n  holdpoint holds --watch --json | ./notify         tell somebody else as it happens',
    flags: [
      { name: 'kind', value: 'KIND', help: 'only these: approval, question, input, client_tool or in_doubt' },
      { name: 'agent', value: 'NAME', help: 'only those of this agent' },
      { name: 'tool', short: 't', value: 'NAME', help: 'only calls of this tool' },
      { name: 'run', value: 'RUN', help: 'only those of this run' },
      { name: 'session', value: 'SESSION', help: 'only those of this session' },
      { name: 'assignee', value: 'NAME', help: 'only those assigned to this person or @group' },
      { name: 'mine', help: 'only those assigned to me, or that I may decide (I am HOLDPOINT_ACTOR, or my login)' },
      { name: 'status', value: 'STATUS', help: 'open (default), decided, expired, withdrawn, exported or all' },
      { name: 'limit', value: 'N', help: 'at most so many (default 50)' },
      { name: 'after', value: 'HOLD', help: 'the next page: those behind this hold' },
      { name: 'watch', help: 'go on, and show what changes' },
      STORE_FLAG,
      JSON_FLAG,
    ],
    load: () => import('../cli/holds/holds.ts'),
  },
  ...DECIDING_COMMANDS,
  {
    name: 'runs',
    usage: '[--status running|waiting|done] [--tree] [--limit N]',
    summary: 'list runs, newest first',
    about:
      'A run that is `waiting` needs somebody; one that is `exported` moved to another store, where it\ngoes on; one that is `running` without an owner can be taken up again with\n`holdpoint -c CHECKPOINT`.\n\nWith --tree each run stands below the run whose agent started it, also where that one would not be listed by itself;\nwith --json it is in the `children` of that one.',
    flags: [
      { name: 'status', value: 'STATUS', help: 'only these: running, waiting or done' },
      { name: 'tree', help: 'each below the run whose agent started it' },
      { name: 'limit', value: 'N', help: 'at most so many (default 50)' },
      STORE_FLAG,
      JSON_FLAG,
    ],
    load: () => import('../cli/runs/runs.ts'),
  },
  {
    name: 'show',
    usage: 'ID',
    summary: 'show a hold, run, session, task or checkpoint in full',
    about:
      'ID is what any other command printed: hold_…, run_…, th_…, task_… or cp_…, or its beginning from four letters on. A hold\nmay be named by its call, as for `holdpoint approve`. With --json it is all there is to know.',
    flags: [STORE_FLAG, JSON_FLAG],
    load: () => import('../cli/runs/show.ts'),
  },
  {
    name: 'threads',
    usage: '[list] | show SESSION [--human]',
    summary: 'list sessions, newest first; show the messages of one as the model would get them, or as people see them',
    about:
      '`list` shows how the newest run of each session stands. `show` shows the messages of one.\n\nWith --human: what the agent asked, who answered what, what time did (reminders, escalations, expiries), and which\nmessage replies to which.\n\nWithout it, as the model would get them: every tool call has exactly one result, directly behind the message that asked for it, in call order; the\ncalls of a pause have theirs once they are decided.',
    flags: [
      { name: 'human', help: 'show: the conversation as people see it' },
      { name: 'limit', value: 'N', help: 'list: at most so many (default 50)' },
      STORE_FLAG,
      JSON_FLAG,
    ],
    words: ['list', 'show'],
    load: () => import('../cli/runs/threads.ts'),
  },
  {
    name: 'checkpoints',
    usage: 'SESSION',
    summary: 'list the places of a session that a fork can begin from, oldest first',
    about:
      'A fork is a new session with the same past: what ran before the checkpoint is not run again, what came after it\nhas not happened there, and the old session stays as it is. Budgets go on from where they stood.\nAn approval that was given and not used yet is asked for again there.\n\nREASON says what the run did there: `step` (it was about to ask the model), `pause` (it waited for somebody),\n`interrupted` (a signal stopped it), `end`. STEPS counts the model answers up to there.\n\nExamples:\n  holdpoint checkpoints th_…                               where can I go back to?\n  holdpoint show cp_…                                      how did the run stand there?\n  holdpoint -c cp_… --fork                                 go on from there, again\n  holdpoint -c cp_… --fork "only on staging this time"     at a step: say something else\n  holdpoint -c cp_… --fork --reject tc_1                   at a pause: decide otherwise',
    flags: [STORE_FLAG, JSON_FLAG],
    load: () => import('../cli/runs/checkpoints.ts'),
  },
  {
    name: 'checkpoint',
    usage: 'export CHECKPOINT --out FILE',
    summary: 'move a run to a runner that shares no store: a bundle of its session, in a file',
    about:
      'The file holds all of the session that is needed to go on elsewhere: `holdpoint -c FILE`, with the flags of a resume,\nimports it into the store there, with the same ids and times, and resumes the run. From the export on nothing of it can\nbe decided or go on here; the same checkpoint again gives the same bundle again, and to import it here takes it back.\nA store imports a bundle once, and the file is FILE.resumed after that. Copies of the file are for whoever copies it to\nkeep from being used twice, in stores that share nothing.\n\nWith HOLDPOINT_BUNDLE_KEY or --key-file the bundle is encrypted, and whoever imports it with that key knows that nobody\nchanged or forged it. Without one, whoever can write the file can forge approvals, and whoever can read it has the\nconversation; it is made readable for its owner alone.\n\nOn the other runner, paths below the project directory of the run become paths below the directory where it is resumed;\n--agent, --model and --workdir name others.\n\nExamples:\n  holdpoint checkpoint export cp_… --out run.bundle\n  HOLDPOINT_BUNDLE_KEY=… holdpoint checkpoint export cp_… --out - | ssh runner "cat > run.bundle"\n  holdpoint -c run.bundle --approve tc_1              on the other runner',
    flags: [
      { name: 'out', value: 'FILE', help: 'where the bundle goes; - is stdout' },
      KEY_FLAG,
      STORE_FLAG,
      JSON_FLAG,
    ],
    words: ['export'],
    load: () => import('../cli/runs/checkpoint.ts'),
  },
  {
    name: 'trust',
    usage: '[--yes]',
    summary: 'trust the programs that the configuration of this directory starts',
    about:
      'A `.holdpoint/config.json` may start programs: MCP servers, and an agent that is a module. Until you trust them once,\nnothing is run in this directory: a terminal asks, and anything else is refused. A change of what is started asks anew.\nThe record is yours, in $XDG_CONFIG_HOME/holdpoint or ~/.config/holdpoint. It covers the settings, and not the files\nthat they name. An agent cannot trust.\n\nExamples:\n  holdpoint trust           shows what is started, and asks\n  holdpoint trust --yes     in a pipeline, whose checkout you trust',
    flags: [{ name: 'yes', help: 'trust it without a question' }, JSON_FLAG],
    load: () => import('../cli/policy/trust.ts'),
  },
  {
    name: 'check-pending',
    usage: '[--agent FILE]',
    summary: 'before a deploy: tell of every open pause whether it can still go on',
    about:
      'What somebody approves is what runs: where a tool has changed since its call was asked about, approving opens a\nfresh hold. This tells beforehand. Each pending call is checked against the definitions that are here now:\n\n  ok       its tool is there, with the same schema; its decision does what it was asked for\n  changed  its tool is there with another schema: a decision leads to a new question that shows the difference\n  broken   its tool is gone, its arguments no longer fit, or its agent cannot be loaded\n\nQuestions and text pauses are ok as long as their agent can be loaded. A run keeps the instructions, model and policy\nthat it was started with; where the definition now says something else, that is only noted.\nNothing is changed. Exits 1 when a pause is broken, otherwise 0.\n\nExamples:\n  holdpoint check-pending                              each run against its own agent\n  holdpoint check-pending --agent agents/support.ts    the runs of that agent against this file\n  holdpoint check-pending --agent new.ts --json && ./deploy',
    flags: [
      { name: 'agent', value: 'FILE', help: 'check the runs of this agent, by its name or its file, against FILE' },
      STORE_FLAG,
      JSON_FLAG,
    ],
    load: () => import('../cli/runs/check-pending.ts'),
  },
  {
    name: 'audit',
    usage: '[FILTERS] | verify [FILE] [--head SEQ:HASH] | explain RUN',
    summary: 'list, export and verify who did what; explain what let each effect of a run happen',
    about:
      'Every hold, decision, refused decision, expiry, override and effect leaves a record, written together with what it\nrecords. Each record has a hash over its text and the hash before it: the hash of record N is the sha256 of the hash\nof record N-1, a line feed, and the text of record N; before the first stand 64 zeros. Records hold ids, digests and\ncodes; what was said and returned is in the journal, to which the hash `event_hash` binds them.\n\n  audit            the records, oldest first; with --json one JSON document on each line: that is an export\n  audit verify     checks the log of the store, and that it and the journals tell the same\n  audit verify FILE   checks an export, offline; `-` is stdin\n  audit explain    for each effect of a run: who or what released it; for what was refused: that nothing ran\n\nA chain cannot show that its newest records were taken away, or that all of it was written anew, journals and all.\nSo `verify` prints its head, SEQ:HASH: note it where nobody who can write the store can, and check it later with --head.\n`verify` and `explain` exit 0 where all is well, and 1 where something was found, which they name.\n\nExamples:\n  holdpoint audit --run run_…                          what happened in a run\n  holdpoint audit --actor ana --since 2030-01-01       what ana did since\n  holdpoint audit --json > audit.jsonl                 export it\n  holdpoint audit verify audit.jsonl                   verify the export, anywhere\n  holdpoint audit verify --head 42:9f2c…               is all that was there when this head was noted still there?\n  holdpoint audit explain run_…                        why did it do that?',
    flags: [
      { name: 'run', value: 'ID', help: 'only what concerns this run' },
      { name: 'session', value: 'ID', help: 'only what concerns this session' },
      { name: 'hold', value: 'ID', help: 'only what concerns this hold' },
      { name: 'actor', value: 'NAME', help: 'only what this person or agent did' },
      { name: 'kind', value: 'KIND', help: 'only records of this kind, like hold.decided or call.started' },
      { name: 'since', value: 'TIME', help: 'only from this time on' },
      { name: 'until', value: 'TIME', help: 'only before this time' },
      { name: 'after', value: 'SEQ', help: 'only records behind this one' },
      { name: 'limit', value: 'N', help: 'at most so many' },
      { name: 'head', value: 'SEQ:HASH', multiple: true, help: 'with verify: a head that was noted (repeatable)' },
      STORE_FLAG,
      JSON_FLAG,
    ],
    words: ['verify', 'explain'],
    load: () => import('../cli/audit/audit.ts'),
  },
  {
    name: 'work',
    usage: '[--once] [--concurrency N] [--grace SECONDS]',
    summary: 'advance every run that can move, and fire what is due, until told to stop',
    about:
      'A worker takes up each run that is `running` and that nobody works on: one that somebody\'s decision or a deadline\nmade ready, one that was told something, and also one whose process died or was stopped with Ctrl-C. It sleeps until\nsomething changes or is due. Several workers may share one store; each run is advanced by one at a time. A run goes on\nwith the agent file as this worker loaded it first, and with the keys of this worker\'s environment: restart it when one\nof them changes. A run that cannot go on is tried again after 1 s, 2 s, 4 s … 5 min, and at once when its journal grows.\n\nSIGTERM, SIGINT or SIGHUP drains: no further run is begun, and those under way may come to rest. After the grace, or at a\nsecond signal, they are stopped at a safe point, and any worker goes on with them. A third signal ends the process.\n\nExits 0 after SIGTERM, 130 after SIGINT, 129 after SIGHUP. With --once 0, or 1 where a run could not be advanced; runs that others work\non are left to them.\n\nIf the configuration has a retention, like { "days": 90 }, it deletes what `holdpoint prune` would, now and once a day.\n\nWhat happens is told on stdout, trouble on stderr. With --json each is a line on stdout: worker.started, run.taken,\nrun.advanced (with what `-o json` says of the run), run.failed, hold.reminded, hold.escalated, hold.expired,\nwork.failed, store.pruned, worker.stopped.\n\nExamples:\n  holdpoint work                        beside people who decide with `holdpoint approve`\n  holdpoint work --once && deploy       in cron or CI: do what can be done, then end',
    flags: [
      { name: 'once', help: 'do what can be done now, then end' },
      { name: 'concurrency', value: 'N', help: 'advance so many runs at once, at most (default 4)' },
      { name: 'grace', value: 'SECONDS', help: 'how long runs under way may take to come to rest (default 20)' },
      { name: 'verbose', help: 'progress of each run on stderr' },
      STORE_FLAG,
      JSON_FLAG,
    ],
    load: () => import('../worker/run-worker.ts'),
  },
  TASKS_COMMAND,
  {
    name: 'mcp',
    usage: '[--http [--host H] [--port N]] [bounds]',
    summary: 'let MCP clients start tasks and decide holds, on stdin and stdout or over HTTP',
    about: MCP_ABOUT,
    flags: MCP_FLAGS,
    load: () => import('../mcp/run-mcp.ts'),
  },
  {
    name: 'policy',
    usage: 'check COMMAND | check --tool NAME --arguments JSON',
    summary: 'tell what the policy says to a call, and which rule says so',
    about:
      'Nothing is run. Examples:\n  holdpoint policy check "git status --short"\n  holdpoint policy check --tool write_file --arguments \'{"path":"a.txt","content":""}\'',
    flags: [
      { name: 'tool', short: 't', value: 'NAME', help: 'the tool (default run_command)' },
      { name: 'arguments', value: 'JSON', help: 'its arguments, in place of COMMAND' },
      POLICY_FLAG,
      AGENT_FLAG,
      { name: 'workdir', short: 'w', value: 'DIR', help: 'where the call would work (default: here)' },
      JSON_FLAG,
    ],
    words: ['check'],
    load: () => import('../cli/policy/policy.ts'),
  },
  {
    name: 'demo',
    usage: '',
    summary: 'see a run pause, be approved in another process, and finish',
    about:
      "Works in a fresh directory below the system's temporary one, with a scripted model: no key, no server, and\nnothing of yours is touched. It prints the commands that it runs.",
    flags: [],
    load: () => import('../cli/help/demo.ts'),
  },
  {
    name: 'completion',
    usage: 'bash|zsh|fish',
    summary: 'print a completion script for a shell',
    about:
      'Examples:\n  source <(holdpoint completion bash)\n  holdpoint completion fish > ~/.config/fish/completions/holdpoint.fish',
    flags: [],
    words: ['bash', 'zsh', 'fish'],
    load: () => import('../cli/help/completion.ts'),
  },
]

export function commandNamed(name: string | undefined): Command | undefined {
  return COMMANDS.find(command => command.name === name)
}
