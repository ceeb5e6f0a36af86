import { expect, test } from 'vitest'
import { StoreLocation } from '../../../ports/store/store-location.ts'
import { agentRegistry } from '../compose.ts'
import { agentProcesses } from './agent-processes.ts'

async function attending(url: string) {
  await using agents = agentRegistry({ agents: [] })
  const bounds = () => Promise.reject(new Error('unused'))
  const processes = agentProcesses({ agents, location: new StoreLocation(url), bounds, env: {} })
  return processes.attend({ checkpoint_id: 'cp_1', pause_on: [] })
}

test("an agent's process finds a store with a password in its environment, and any other in its arguments", async () => {
  const secret = 'postgres://ana:hush@db.example/runs'
  const { argv, environment } = await attending(secret)
  expect(argv.slice(argv.indexOf('-c'))).toEqual(['-c', 'cp_1', '--attend', '--output', 'json'])
  expect(environment).toEqual({ HOLDPOINT_STORE: secret })

  const plain = await attending('sqlite:/p/x.db')
  expect(plain.argv.slice(plain.argv.indexOf('-c'))).toEqual([
    '-c',
    'cp_1',
    '--attend',
    '--store',
    'sqlite:/p/x.db',
    '--output',
    'json',
  ])
  expect(plain.environment).toEqual({})
})
