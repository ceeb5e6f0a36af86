import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { AgentSockets } from './agent-sockets.ts'

const DIES_LISTENING = `require('node:net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))`

test('a sweep leaves the socket of a live process that no row names yet, and removes that of a killed one', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'holdpoint-sweep-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 10 }))
  const file = join(directory, 'store.db')
  writeFileSync(file, '')
  const sockets = new AgentSockets({ file, runtimeDirectory: directory, uid: process.getuid?.() ?? 0 })
  const live = await sockets.listen(socket => socket.destroy())
  onTestFinished(() => live.close())
  const dead = join(dirname(live.path), '00000000')
  spawnSync(process.execPath, ['-e', DIES_LISTENING, dead])
  for (const path of [live.path, dead]) utimesSync(path, 1, 1)
  await sockets.sweep(new Set())
  expect([existsSync(live.path), existsSync(dead)]).toEqual([true, false])
})
