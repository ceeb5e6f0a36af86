/** The help of commands that keep house: policy, moves, checks, the shell. */
import type { CommandText } from '../../../command/command.ts'

export const CHECKPOINT: CommandText = {
  about: [
    'The file holds all of the session that is needed to go on elsewhere. `holdpoint -c FILE`, with the flags of a resume, imports it into the store there, with the same ids and times, and resumes the run. From the export on nothing of it can be decided or go on here. The same checkpoint again gives the same bundle again, and to import it here takes it back. A store imports a bundle once; after that the file is FILE.resumed. Stores that share nothing cannot see a second use of a copied file: keep copies safe.',
    'With HOLDPOINT_BUNDLE_KEY or --key-file the bundle is encrypted, and an import with that key shows that nothing in it was changed or forged. Without a key, all who can write the file can forge approvals, and all who can read it have the conversation; it is made readable for its owner alone.',
    'On the other runner, paths below the project directory of the run become paths below the directory in which it is resumed; --agent, --model and --workdir name others.',
  ],
  examples: [
    ['holdpoint checkpoint export cp_… --out run.bundle', 'into a file'],
    ['holdpoint checkpoint export cp_… --out - | ssh runner "cat > run.bundle"', 'to another machine'],
    ['holdpoint -c run.bundle --approve tc_1', 'on the other runner'],
  ],
}

export const TRUST: CommandText = {
  about: [
    'A project may start programs: the MCP servers and the agent of its `.holdpoint/config.json`, and modules in `.holdpoint/agents/`. Until you trust them once, nothing is run in this directory: a terminal asks, and anything else is refused. A change of what is started asks anew. The record is yours, in $XDG_CONFIG_HOME/holdpoint or ~/.config/holdpoint. It covers the settings, and not the files that they name. An agent cannot trust.',
    'People decide from where the store was made. Another container or sandbox of the same machine must be trusted once, from there: `holdpoint trust --here` in it tells how.',
  ],
  examples: [
    ['holdpoint trust', 'shows what is started, and asks'],
    ['holdpoint trust --yes', 'in a pipeline, if you trust its checkout'],
    ['holdpoint trust --here', 'in a container: tells what to run outside of it'],
  ],
}

export const CHECK_PENDING: CommandText = {
  about: [
    'What a person approves is what runs: if a tool has changed since its call was asked about, approving opens a fresh hold. This tells beforehand. Each pending call is checked against the definitions that are here now:',
    {
      terms: [
        ['ok', 'its tool is there, with the same schema; its decision does what it was asked for'],
        [
          'changed',
          'its tool is there with another schema: a decision leads to a new question that shows the difference',
        ],
        ['broken', 'its tool is gone, its arguments no longer fit, or its agent cannot be loaded'],
      ],
    },
    'Questions and text pauses are ok as long as their agent can be loaded. A run keeps the instructions, model and policy that it was started with; if the definition says something else now, that is only noted. Nothing is changed. Exits with 1 if a pause is broken, otherwise with 0.',
  ],
  examples: [
    ['holdpoint check-pending', 'each run against its own agent'],
    ['holdpoint check-pending --agent agents/support.ts', 'the runs of that agent against this file'],
    ['holdpoint check-pending --agent new.ts --json && ./deploy', 'before a deploy'],
  ],
}

export const PRUNE: CommandText = {
  about: [
    'A session goes whole: its journal, its runs, its holds, the grants for it, and the tasks about its runs. A session stays if one of its runs waits or is not finished, or if anything happened in it since. Tasks about no run go once they are over. What is on record of it (`holdpoint audit`) stays. The store uses the space again; its file does not shrink.',
  ],
  examples: [
    ['holdpoint prune --older-than 90d --dry-run', 'what would go?'],
    ['holdpoint prune --older-than 90d', 'delete it'],
  ],
}

export const STORE: CommandText = {
  about: [
    'FROM and TO are stores as --store takes them: sqlite:PATH or postgres://USER@HOST/DATABASE, in any pairing. Everything moves: sessions with their runs, holds and decisions, the audit log with its numbers and hashes, grants, notices, tokens, people who are signed in, and the rows of tasks. Processes of agents, daemons, worktrees and the output of tasks stay where they are.',
    'From the beginning on nothing is written to FROM: each writer is refused with `store_moved`, which names TO. Reading goes on. At the end all rows of both stores are compared. If the copy is cut off, the same command goes on with it.',
    'A store in which a run or a task is under way is refused, and so is a TO with anything in it. Stop workers and servers first.',
  ],
  examples: [
    ['holdpoint store copy sqlite:.holdpoint/holdpoint.db postgres://me@db.example.com/app --dry-run', 'can it move?'],
    ['holdpoint store copy sqlite:.holdpoint/holdpoint.db postgres://me@db.example.com/app', 'to many hosts'],
    ['holdpoint store copy postgres://me@db.example.com/app sqlite:back.db', 'and back, into a new file'],
  ],
}

export const POLICY: CommandText = {
  about: [
    'Nothing is run. `box` means that a command runs in a box, and that `effects` of the policy rule on what it did; a machine without a box asks instead. A standing grant for this project counts, and is named; one for a single run or session counts for that one alone.',
    '`import claude`, `codex` or `gemini` reads the rules of Claude Code, Codex or Gemini CLI, from your home and this project or from the files that are named. It prints a policy that says the same, and on stderr what has no equal here. It writes nothing.',
    '`suggest` looks for rules that would have spared people approvals. Each is replayed over all approvals on record: it would have let nothing pass that a person refused. None is switched on; it prints the command that does so.',
  ],
  examples: [
    ['holdpoint policy check "git status --short"', 'a command'],
    ['holdpoint policy check --tool write_file --arguments \'{"path":"a.txt","content":""}\'', 'another tool'],
    ['holdpoint policy check --write src/a.ts --delete dist --host example.com', 'effects of commands in a box'],
    ['holdpoint policy import claude > .holdpoint/policy.json', 'the rules of Claude Code'],
    ['holdpoint policy suggest --since 30d', 'rules that would have spared you questions'],
  ],
}

export const COMPLETION: CommandText = {
  about: [
    'It completes commands, options and their values, files, the ids of the store that is used here (open holds first), agents and models. Nothing is made or changed by it.',
  ],
  examples: [
    ['source <(holdpoint completion bash)', 'in ~/.bashrc'],
    ['source <(holdpoint completion zsh)', 'in ~/.zshrc, behind compinit'],
    ['holdpoint completion fish > ~/.config/fish/completions/holdpoint.fish', 'once'],
  ],
}
