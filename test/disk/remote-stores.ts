import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Store } from '../../src/ports/store/store.ts'
import type { Asked } from './store-process.ts'

interface Answered {
  readonly id: number
  readonly value?: unknown
  readonly error?: unknown
}

/** Stores of a process of its own, with the disk that `env` says. */
export class RemoteStores implements AsyncDisposable {
  readonly #child: ChildProcess
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>()
  readonly #files = new WeakMap<Store, string>()
  #asked = 0

  constructor(env: Readonly<Record<string, string>>) {
    this.#child = fork(join(import.meta.dirname, 'store-process.ts'), {
      env: { ...process.env, ...env },
      serialization: 'advanced',
    })
    this.#child.on('message', (answered: Answered) => this.#take(answered))
  }

  #take({ id, value, error }: Answered): void {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (error === undefined) waiting?.resolve(value)
    else waiting?.reject(error)
  }

  /** Its methods can be called; nothing else of it is there. */
  open(file: string): Store {
    const store = this.#methods(file, []) as Store
    this.#files.set(store, file)
    return store
  }

  fileOf(store: Store): string {
    return this.#files.get(store) ?? ''
  }

  #methods(file: string, path: readonly string[]): unknown {
    const call = (...args: readonly unknown[]) => this.#ask({ file, method: path, args })
    return new Proxy(call, {
      get: (_call, name) => {
        if (name === Symbol.asyncDispose) return () => this.#ask({ file, method: ['dispose'], args: [] })
        // A promise would be asked for `then`.
        return typeof name === 'symbol' || name === 'then' ? undefined : this.#methods(file, [...path, name])
      },
    })
  }

  #ask(asked: Omit<Asked, 'id'>): Promise<unknown> {
    this.#asked += 1
    const waiting = Promise.withResolvers<unknown>()
    this.#waiting.set(this.#asked, waiting)
    this.#child.send({ ...asked, id: this.#asked })
    return waiting.promise
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await ended
  }
}
