import { parseArgs } from 'node:util'
import { messageOf, RefusedError } from '../../core/errors.ts'
import { PAUSE_KINDS } from '../../core/run/profile.ts'
import { nearestWord } from '../../core/text/edit-distance.ts'
import { argumentRefusals } from '../refusals/argument-refusals.ts'

/** The purposes of options of runs. */
export type FlagGroup = 'run' | 'pause' | 'decide' | 'resume' | 'output'

export interface Flag {
  readonly name: string
  readonly short?: string
  /** The name of its value in the help; a flag without it takes none. */
  readonly value?: string
  readonly multiple?: true
  /** The words that it takes, for the completion. */
  readonly words?: readonly string[]
  readonly help: string
  /** Of an option of runs: under which heading the help lists it. */
  readonly group?: FlagGroup
}

/** The arguments: flags by name (values in order), and the words that are no flags. */
export interface Given {
  has(name: string): boolean
  /** The last one wins. */
  value(name: string): string | null
  values(name: string): readonly string[]
  readonly words: readonly string[]
  /** True if `--` stood before all words: then they are taken as they are. */
  readonly literal: boolean
}

const PROMPT_HINT = 'See `holdpoint --help`. A prompt that begins with a dash goes after `--`.'

/** `hint` says what to do about an unknown flag. @throws RefusedError `invalid_arguments` */
export function parseFlags(flags: readonly Flag[], args: readonly string[], hint: string = PROMPT_HINT): Given {
  const options = Object.fromEntries(
    flags.map(({ name, short, value }) => [
      name,
      {
        type: value === undefined ? ('boolean' as const) : ('string' as const),
        multiple: true as const,
        ...(short === undefined ? {} : { short }),
      },
    ]),
  )
  refuseOneDash(flags, args)
  try {
    const { values, positionals, tokens } = parseArgs({
      args: [...args],
      options,
      allowPositionals: true,
      tokens: true,
    })
    refuseRepeated(flags, values)
    return {
      has: name => values[name] !== undefined,
      value: name => values[name]?.map(String).at(-1) ?? null,
      values: name => values[name]?.map(String) ?? [],
      words: positionals,
      literal:
        tokens.find(({ kind }) => kind === 'option-terminator' || kind === 'positional')?.kind === 'option-terminator',
    }
  } catch (thrown) {
    if (thrown instanceof RefusedError) throw thrown
    throw new RefusedError('invalid_arguments', ownLine(thrown), { hint: `${meantFlag(flags, thrown)}${hint}` })
  }
}

/** Read as letters, `-once` would be `-o nce`. */
function refuseOneDash(flags: readonly Flag[], args: readonly string[]): void {
  const end = args.indexOf('--')
  const options = end === -1 ? args : args.slice(0, end)
  for (const { name } of flags) {
    if (name.length < 2 || !options.includes(`-${name}`)) continue
    throw argumentRefusals.singleDash(name)
  }
}

function refuseRepeated(
  flags: readonly Flag[],
  values: Readonly<Record<string, readonly (string | boolean)[] | undefined>>,
): void {
  const repeated = flags.find(
    flag => !flag.multiple && flag.value !== undefined && (values[flag.name]?.length ?? 0) > 1,
  )
  if (repeated) throw argumentRefusals.givenTwice(repeated.name)
}

/** Of an option that is nearly one of ours: a question to put before the hint. */
function meantFlag(flags: readonly Flag[], thrown: unknown): string {
  const [, written] = /^Unknown option '--([^']+)'/.exec(messageOf(thrown)) ?? []
  const near =
    written === undefined
      ? null
      : nearestWord(
          written,
          flags.map(({ name }) => name),
        )
  return near === null ? '' : `Did you mean \`--${near}\`? `
}

/** Without the advice that Node adds to an unknown option: here it does not hold. */
function ownLine(thrown: unknown): string {
  const [line = ''] = messageOf(thrown).split('\n')
  return line.replace(/ To specify a positional argument .*$/, '')
}

export const JSON_FLAG: Flag = { name: 'json', help: 'the same as -o json' }
export const STORE_FLAG: Flag = {
  name: 'store',
  value: 'URL',
  help: 'where runs are kept (default HOLDPOINT_STORE, or sqlite:.holdpoint/holdpoint.db)',
}
export const SERVER_FLAG: Flag = {
  name: 'server',
  value: 'URL',
  help: 'ask this server instead (default HOLDPOINT_SERVER); your token is in HOLDPOINT_TOKEN',
}
export const KEY_FLAG: Flag = {
  name: 'key-file',
  value: 'FILE',
  help: 'the key of a bundle (default HOLDPOINT_BUNDLE_KEY); - is stdin',
}
export const OUTPUT_FLAG: Flag = {
  name: 'output',
  short: 'o',
  value: 'FORMAT',
  words: ['text', 'json', 'stream-json'],
  help: 'text, json (one document, also on failure) or stream-json',
}
export const HELP_FLAG: Flag = { name: 'help', short: 'h', help: 'this help' }

/** docs/design/command-line.md */
export const RUN_FLAGS: readonly Flag[] = [
  {
    name: 'async',
    group: 'pause',
    short: 'a',
    help: 'headless: ask nothing at the terminal, and pause only if told to (implied by a decision, -o json, no terminal)',
  },
  {
    name: 'no-ask',
    group: 'pause',
    help: 'at a pause do not ask in the terminal: tell how to decide, and exit with 10',
  },
  {
    name: 'checkpoint',
    group: 'resume',
    short: 'c',
    value: 'ID',
    help: 'go on from there: a checkpoint, run, session, `last`, or the file of a bundle; a text answers a text pause or the one open question, or begins a fork',
  },
  {
    name: 'pause-on-approval',
    group: 'pause',
    help: 'pause with exit 10 at calls that need approval, at questions and at a text',
  },
  { name: 'pause-on', group: 'pause', value: 'LIST', words: PAUSE_KINDS, help: `finer: any of ${PAUSE_KINDS}` },
  {
    name: 'approve',
    group: 'decide',
    value: 'ID',
    multiple: true,
    help: 'let this pending call run (in doubt: run it again)',
  },
  {
    name: 'reject',
    group: 'decide',
    value: 'ID',
    multiple: true,
    help: 'refuse this pending call (in doubt: it failed)',
  },
  { name: 'approve-all', group: 'decide', help: 'let every pending call run, except those in doubt or under `never`' },
  { name: 'reject-all', group: 'decide', help: 'refuse every pending call, except those in doubt' },
  {
    name: 'edit',
    group: 'decide',
    value: 'ID=JSON',
    multiple: true,
    help: 'let it run with other arguments; ID=@FILE reads them',
  },
  {
    name: 'answer',
    group: 'decide',
    value: 'ID=TEXT',
    multiple: true,
    help: 'answer a question, or give the result of a call that ran elsewhere (in doubt: it happened)',
  },
  {
    name: 'digest',
    group: 'decide',
    value: 'ID=DIGEST',
    multiple: true,
    help: 'the digest that you were shown of this call: if it has another one, all is refused',
  },
  { name: 'reason', group: 'decide', value: 'TEXT', help: 'recorded, and told to the model' },
  { name: 'finish', group: 'resume', help: 'accept the text of a text pause as final: no model call' },
  {
    name: 'attend',
    group: 'resume',
    help: 'go on from the newest checkpoint, or wait while another process does; then tell the outcome',
  },
  { name: 'fork', group: 'resume', help: 'go on as a new session; the old one stays as it is' },
  OUTPUT_FLAG,
  JSON_FLAG,
  {
    name: 'model',
    group: 'run',
    value: 'MODEL',
    help: 'provider/model, or script:FILE (default HOLDPOINT_MODEL)',
  },
  { name: 'agent', group: 'run', value: 'FILE', help: 'the agent: its name in .holdpoint/agents/, or its file' },
  { name: 'tool', group: 'run', short: 't', value: 'NAME', multiple: true, help: 'allow only this tool (repeatable)' },
  { name: 'max-steps', group: 'run', value: 'N', help: 'stop after this many model answers' },
  { name: 'budget', group: 'run', value: 'USD', help: 'stop once the models have cost so many dollars' },
  { name: 'workdir', group: 'run', short: 'w', value: 'DIR', help: 'where tools work (default: here)' },
  { name: 'prompt-file', group: 'run', value: 'FILE', help: 'the prompt, byte for byte; - is stdin' },
  {
    name: 'policy',
    group: 'run',
    value: 'FILE',
    help: 'which calls run, ask or never run (default .holdpoint/policy.json)',
  },
  {
    name: 'system-prompt-file',
    group: 'run',
    value: 'FILE',
    help: "instructions in place of the agent's own; - is stdin",
  },
  STORE_FLAG,
  KEY_FLAG,
  {
    name: 'fail-on-refusal',
    group: 'run',
    help: 'exit with 1 if calls were refused without a person, also if the agent says that all is done',
  },
  { name: 'verbose', help: 'all that happens, one line each: on stderr, or in the terminal' },
  { name: 'quiet', short: 'q', help: 'nothing of what happens, only what came of it' },
  HELP_FLAG,
  { name: 'version', help: 'the version' },
]
