#!/usr/bin/env node
/** Tells that Node is too old, or the system another one, before anything is loaded that an old Node could not read. */
import { nodeFault, platformFault } from '../../core/supported-platform.ts'
import { shellWord } from '../process/shell-word.ts'

async function start(): Promise<void> {
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
  const { enableCompileCache } = await import('node:module')
  enableCompileCache()
  if (asksForHelp(process.argv.slice(2))) return (await import('./main-help.ts')).tellHelp()
  const { main } = await import('./main.ts')
  await main()
}

function asksForHelp([first, ...others]: readonly string[]): boolean {
  return first === '--help' && others.length === 0
}

function refuse(reason: string): void {
  process.stderr.write(`holdpoint: ${reason}\n`)
  process.exitCode = 2
}

void start()
