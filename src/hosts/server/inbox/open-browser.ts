import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { CommandContext } from '../../command/command.ts'
import { makeProjectDirectory } from '../../project/project.ts'

type Site = Pick<CommandContext, 'env' | 'io' | 'directory'>

/**
 * Opens the person's browser at a link. Other users of this machine can read the arguments of processes, so the browser
 * gets a file that leads to the link, which its owner alone can read, and by its name no agent. Dispose of it when the link was used. `null` if there
 * is no browser to open.
 */
export function openBrowser(link: string, { env, io, directory }: Site): Disposable | null {
  const [program, ...args] = io.isTerminal ? browserIn(env) : []
  if (program === undefined) return null
  const file = join(makeProjectDirectory(directory), `open-${randomBytes(8).toString('hex')}-token.html`)
  writeFileSync(file, pageThatLeadsTo(link), { flag: 'wx', mode: 0o600 })
  const remove = () => rmSync(file, { force: true })
  process.once('exit', remove)
  const browser = spawn(program, [...args, pathToFileURL(file).href], { detached: true, stdio: 'ignore' })
  browser.once('error', () => io.err(`${program} could not be started: open the link yourself.\n`))
  browser.unref()
  return { [Symbol.dispose]: remove }
}

/** The program with its arguments; none without a screen. */
function browserIn(env: Site['env']): readonly string[] {
  const [named] = (env['BROWSER'] ?? '').split(':')
  if (named) return named.split(' ').filter(word => word !== '' && word !== '%s')
  if (process.platform === 'darwin') return ['open']
  return env['DISPLAY'] || env['WAYLAND_DISPLAY'] ? ['xdg-open'] : []
}

/** A link has nothing that HTML would read otherwise. */
function pageThatLeadsTo(link: string): string {
  const address = link.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
  return `<!doctype html><meta http-equiv="refresh" content="0;url=${address}"><title>Holdpoint</title><a href="${address}">Open the inbox</a>\n`
}
