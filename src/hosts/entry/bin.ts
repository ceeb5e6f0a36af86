#!/usr/bin/env node
/** Tells that Node is too old, or the system another one, before anything is loaded that an old Node could not read. */
import { nodeFault, platformFault } from '../../core/supported-platform.ts'
import { shellWord } from '../process/shell-word.ts'

/** Commands that scripts and people call often: for each, the code that it needs is kept. */
// biome-ignore format: a list of words
const OFTEN = ['holds', 'show', 'approve', 'reject', 'answer', 'runs', 'tasks', 'chat', 'agents', 'agents attach', 'agents send', 'serve', 'work', 'mcp', '__complete']

async function start(args: readonly string[]): Promise<void> {
  const oldNode = nodeFault(process.versions.node)
  if (oldNode !== null) {
    refuse(`${oldNode} Or run:\n  npx node@24 ${process.argv.slice(1).map(shellWord).join(' ')}`)
    return
  }
  const fault = platformFault(process.platform)
  if (fault !== null) {
    refuse(fault)
    return
  }
  const { codeDirectory } = await import('./code-directory.ts')
  // In the sources there is no bundle, and so no code to keep.
  const directory = import.meta.filename.endsWith('.js') ? codeDirectory(process.env) : null
  if (asksForHelp(args)) return tellHelp(directory)
  const { main } = directory === null ? await import('./main.ts') : await mainWithKeptCode(directory, args)
  await main()
}

/** Its code is small, so Node's own cache serves it as well. */
async function tellHelp(directory: string | null): Promise<void> {
  const { enableCompileCache } = await import('node:module')
  if (directory !== null) enableCompileCache(directory)
  const help = await import('./main-help.ts')
  help.tellHelp()
}

async function mainWithKeptCode(directory: string, args: readonly string[]): Promise<typeof import('./main.ts')> {
  const { KeptCode } = await import('./kept-code.ts')
  const code = new KeptCode(import.meta.filename, { directory, kind: kindOf(args) })
  return code.require('./main.js') as typeof import('./main.ts')
}

function kindOf(args: readonly string[]): string {
  // Alone it is a chat.
  const [first = 'chat', second = ''] = args
  const often = [`${first} ${second}`, first].find(words => OFTEN.includes(words))
  if (often) return often.replace(' ', '-')
  if (args.some(arg => /^(-[a-z]*c|--checkpoint)/.test(arg))) return 'resume'
  return isPrompt(first) ? 'start' : 'other'
}

/** A single word is taken for a command: the code of one would serve no run. */
function isPrompt(first: string): boolean {
  return /^-|\s/.test(first) && first !== '--version'
}

function asksForHelp([first, ...others]: readonly string[]): boolean {
  return first === '--help' && others.length === 0
}

function refuse(reason: string): void {
  process.stderr.write(`holdpoint: ${reason}\n`)
  process.exitCode = 2
}

void start(process.argv.slice(2))
