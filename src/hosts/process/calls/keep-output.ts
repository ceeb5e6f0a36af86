/**
 * The output of a command outlives its starter: a separate process has the other ends of its pipes, and reads them
 * once this process is gone. Its file has what this process had read by then, and what followed. Bounded.
 */
import { spawn } from 'node:child_process'
import type { Writable } from 'node:stream'
import type { CommandOutput } from '../../../ports/process/call-record.ts'

/** How old what this process had read may be when it dies, in milliseconds. */
const TELL_MS = 1_000

/** Limit per stream after the death of this process, in bytes. */
const KEPT_BYTES = 24 * 1024

/** K1: it reads nothing as long as this process lives. The file is there as soon as it would. */
const KEEPER = `
import { renameSync, writeFileSync } from 'node:fs'
import { Socket } from 'node:net'
const path = process.argv[1]
const names = ['stdout', 'stderr']
let told = { stdout: '', stderr: '' }
const write = printed => {
  writeFileSync(path + '.new', JSON.stringify(printed), { mode: 0o600 })
  renameSync(path + '.new', path)
}
write(told)
const owner = new Socket({ fd: 3 }).setEncoding('utf8')
let begun = ''
owner.on('data', chunk => {
  const lines = (begun + chunk).split('\\n')
  begun = lines.pop()
  if (lines.length > 0) told = JSON.parse(lines.at(-1))
})
owner.on('error', () => {})
owner.on('close', () => {
  const ends = [Buffer.alloc(0), Buffer.alloc(0)]
  const cut = [false, false]
  const text = at => told[names[at]] + (cut[at] ? '\\n[…]\\n' : '') + ends[at].toString('utf8').replaceAll('\\0', '␀')
  const save = () => write({ stdout: text(0), stderr: text(1) })
  const timer = setInterval(save, ${TELL_MS})
  let open = 2
  for (const at of [0, 1]) {
    const stream = new Socket({ fd: 4 + at })
    stream.on('data', chunk => {
      const all = Buffer.concat([ends[at], chunk])
      cut[at] ||= all.length > ${KEPT_BYTES}
      ends[at] = all.subarray(-${KEPT_BYTES})
    })
    stream.on('error', () => {})
    stream.on('close', () => {
      open -= 1
      save()
      if (open === 0) clearInterval(timer)
    })
  }
})
`

/** Until the result is called. A process that cannot be started keeps nothing. */
export function keepOutput(path: string, { stdout, stderr, printed }: CommandOutput): () => void {
  const keeper = spawn(process.execPath, ['--input-type=module', '-e', KEEPER, path], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', stdout, stderr],
    // A session of its own, and none of the variables by which commands and agents are found.
    ...{ detached: true, cwd: '/', env: {} },
  })
  keeper.on('error', () => {})
  keeper.unref()
  const owner = keeper.stdio[3] as (Writable & { unref?(): void }) | null
  owner?.on('error', () => {})
  owner?.unref?.()
  let last = ''
  const tell = () => {
    const line = `${JSON.stringify(printed())}\n`
    if (line === last || !owner?.writable || owner.writableLength > 0) return
    last = line
    owner.write(line)
  }
  tell()
  const timer = setInterval(tell, TELL_MS).unref()
  return () => {
    clearInterval(timer)
    keeper.kill('SIGKILL')
  }
}
