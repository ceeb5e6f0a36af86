import { parseArgs } from 'node:util'
import { messageOf, RefusedError } from '../../core/errors.ts'

export interface Flag {
  readonly name: string
  readonly short?: string
  /** The name of its value in the help; a flag without it takes none. */
  readonly value?: string
  readonly multiple?: true
  readonly help: string
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

/** @throws RefusedError `invalid_arguments` */
export function parseFlags(flags: readonly Flag[], args: readonly string[]): Given {
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
    throw new RefusedError('invalid_arguments', firstLine(thrown), {
      hint: 'See `holdpoint --help`. A prompt that begins with a dash goes after `--`.',
    })
  }
}

function refuseRepeated(
  flags: readonly Flag[],
  values: Readonly<Record<string, readonly (string | boolean)[] | undefined>>,
): void {
  const repeated = flags.find(
    flag => !flag.multiple && flag.value !== undefined && (values[flag.name]?.length ?? 0) > 1,
  )
  if (repeated)
    throw new RefusedError('invalid_arguments', `--${repeated.name} was given more than once.`, {
      hint: 'Give it once.',
    })
}

function firstLine(thrown: unknown): string {
  return messageOf(thrown).split('\n')[0] ?? ''
}

export const JSON_FLAG: Flag = { name: 'json', help: 'the same as -o json' }
export const STORE_FLAG: Flag = {
  name: 'store',
  value: 'URL',
  help: 'where runs are kept (default sqlite:.holdpoint/holdpoint.db, or HOLDPOINT_STORE)',
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
  help: 'text, json or stream-json; json is exactly one document on stdout, also on failure',
}
export const HELP_FLAG: Flag = { name: 'help', short: 'h', help: 'this help' }

/** docs/design/command-line.md */
export const RUN_FLAGS: readonly Flag[] = [
  {
    name: 'async',
    short: 'a',
    help: 'headless: asks nobody at the terminal; implied by a decision, by -c, by -o json, and without a terminal',
  },
  {
    name: 'checkpoint',
    short: 'c',
    value: 'ID',
    help: 'resume there (also a RUN, a SESSION or last), or import the bundle in a file of that name; a text answers an input pause or the one open question, or begins a fork',
  },
  { name: 'pause-on-approval', help: 'calls that need approval, questions and a text-only answer pause with exit 10' },
  { name: 'pause-on', value: 'LIST', help: 'finer: any of approval,input,question' },
  { name: 'approve', value: 'ID', multiple: true, help: 'let this pending call run (in doubt: run it again)' },
  { name: 'reject', value: 'ID', multiple: true, help: 'refuse this pending call (in doubt: it failed)' },
  { name: 'approve-all', help: 'let every pending call run, except those in doubt' },
  { name: 'reject-all', help: 'refuse every pending call, except those in doubt' },
  {
    name: 'edit',
    value: 'ID=JSON',
    multiple: true,
    help: 'let it run with other arguments; ID=@FILE reads them from a file',
  },
  {
    name: 'answer',
    value: 'ID=TEXT',
    multiple: true,
    help: 'answer a question; the result of a call that runs elsewhere (in doubt: it happened, this is the result)',
  },
  { name: 'reason', value: 'TEXT', help: 'recorded with the decisions, and shown to the model on rejection' },
  { name: 'finish', help: 'accept the text of an input pause as final: no model call' },
  {
    name: 'attend',
    help: 'go on from the newest checkpoint, or wait while another process does, until the run rests; then tell its outcome',
  },
  { name: 'fork', help: 'go on from any checkpoint as a new thread; the old one stays as it is' },
  OUTPUT_FLAG,
  JSON_FLAG,
  {
    name: 'model',
    value: 'MODEL',
    help: 'provider/model, or script:FILE for a scripted one (default HOLDPOINT_MODEL)',
  },
  {
    name: 'agent',
    value: 'FILE',
    help: 'the agent: its name in .holdpoint/agents/, or a file: a module, or Markdown with front matter',
  },
  { name: 'tool', short: 't', value: 'NAME', multiple: true, help: 'allow only this tool (repeatable)' },
  { name: 'max-steps', value: 'N', help: 'stop after this many model answers' },
  { name: 'policy', value: 'FILE', help: 'which calls run, ask, or never run (default .holdpoint/policy.json)' },
  { name: 'workdir', short: 'w', value: 'DIR', help: 'where tools work (default: here)' },
  { name: 'prompt-file', value: 'FILE', help: 'the prompt, byte for byte; - is stdin' },
  { name: 'system-prompt-file', value: 'FILE', help: "instructions in place of the agent's own; - is stdin" },
  STORE_FLAG,
  KEY_FLAG,
  { name: 'verbose', help: 'progress on stderr' },
  HELP_FLAG,
  { name: 'version', help: 'the version' },
]
