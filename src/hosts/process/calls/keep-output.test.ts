import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { keepOutput } from './keep-output.ts'

test('as long as its owner lives, nothing that a command prints is taken from it', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'holdpoint-kept-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const path = join(directory, 'output')
  const lines = Array.from({ length: 20_000 }, (_, at) => `line ${at}\n`).join('')
  const go = join(directory, 'go')
  const command = spawn('bash', ['-c', `until test -e ${go}; do sleep 0.01; done; seq 0 19999 | sed 's/^/line /'`])
  const read = Promise.all([text(command.stdout), text(command.stderr)])
  const [stdout, stderr] = [command.stdout, command.stderr].map(descriptorOf)
  const stop = keepOutput(path, { stdout, stderr, printed: () => ({ stdout: '', stderr: '' }) } as never)
  await expect.poll(() => existsSync(path)).toBe(true)
  await once(spawn('touch', [go]), 'close')
  expect(await read).toEqual([lines, ''])
  stop()
})

function descriptorOf(stream: unknown): number {
  return (stream as { readonly _handle: { readonly fd: number } })._handle.fd
}
