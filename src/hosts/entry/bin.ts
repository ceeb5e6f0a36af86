#!/usr/bin/env node
/** Tells that Node is too old, or the system another one, before anything is loaded that an old Node could not read. */
import { nodeFault, platformFault } from '../../core/supported-platform.ts'
import { shellWord } from '../process/shell-word.ts'

/** What scripts and people call often: for each, the code that it needs is kept. */
const OFTEN = ['holds', 'show', 'approve', 'reject', 'answer', 'runs', 'tasks', 'serve', 'work', 'mcp', '__complete']

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
  const { enableCompileCache } = await import('node:module')
  if (directory !== null) enableCompileCache(directory)
  if (asksForHelp(args)) return (await import('./main-help.ts')).tellHelp()
  const { main } = directory === null ? await import('./main.ts') : await mainWithKeptCode(directory, args)
  await main()
}

async function mainWithKeptCode(directory: string, args: readonly string[]): Promise<typeof import('./main.ts')> {
  const { requireWithKeptCode } = await import('./kept-code.ts')
  const path = `${import.meta.dirname}/main.js`
  return requireWithKeptCode(path, { directory, kind: kindOf(args) }) as typeof import('./main.ts')
}

function kindOf(args: readonly string[]): string {
  const [first = ''] = args
  if (OFTEN.includes(first)) return first
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
