/** Copies a store, and is killed at the write that it is told: `node copy-process.ts FROM TO WRITE before|after`. */
import { type CopyRequest, copyStore } from '../../src/stores/copy/copy-store.ts'
import { openCopySource, openCopyTarget } from '../../src/stores/copy/open-copy.ts'

const [from = '', to = '', write = '', when = ''] = process.argv.slice(2)
const WRITES: ReadonlySet<PropertyKey> = new Set(['begin', 'freeze', 'put', 'seal', 'settle', 'finish'])
let writes = 0

function mortal<T extends object>(store: T): T {
  return new Proxy(store, {
    get(target, name) {
      const found = Reflect.get(target, name, target)
      if (typeof found !== 'function') return found
      if (!WRITES.has(name)) return found.bind(target)
      return async (...parameters: unknown[]) => {
        writes += 1
        const dies = writes === Number(write)
        if (dies && when === 'before') process.kill(process.pid, 'SIGKILL')
        const result = await Reflect.apply(found, target, parameters)
        if (dies) process.kill(process.pid, 'SIGKILL')
        return result
      }
    },
  })
}

const deps = { clock: { now: () => Date.now() }, directory: process.cwd() }
const source = await openCopySource(from, deps)
const target = await openCopyTarget(to, deps)
const request: CopyRequest = {
  by: 'ana',
  surface: 'test',
  now: Date.now(),
  id: `copy_${process.pid}`,
  isGone: () => false,
}
await copyStore({ source: mortal(source), target: mortal(target) }, request)
await source[Symbol.asyncDispose]()
await target[Symbol.asyncDispose]()
process.stdout.write(JSON.stringify({ writes }))
