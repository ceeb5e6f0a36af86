/**
 * A connection from a process that advances runs to one that follows. Slow readers miss pieces; no writer waits for
 * them.
 */

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { lstat, unlink } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import type { Ephemeral } from '../ports/event-sink.ts'
import { type Frame, LONGEST_LINE, lineOf, readFrames, writeFrame } from './lines.ts'

/** Bytes that may wait for a follower that does not read. */
const MOST_WAITING = 1024 * 1024
/** Pieces kept until the connection is made. */
const MOST_EARLY = 1_000
const HELLO_MS = 2_000
/** A socket that refuses connections is left alone for so long: it may be about to listen. */
const STALE_MS = 10_000

export class Link {
  readonly #socket: Socket
  readonly #secret: string
  readonly #own = nonce()
  readonly #threads = new Set<string>()
  #early: Ephemeral[] | null = []

  constructor(path: string, secret: string, onClose: () => void) {
    this.#secret = secret
    this.#socket = connect(path).unref()
    const late = setTimeout(() => this.close(), HELLO_MS).unref()
    this.#socket.on('error', thrown => void removeStale(path, thrown))
    this.#socket.on('close', () => {
      clearTimeout(late)
      this.#early = null
      onClose()
    })
    readFrames(this.#socket, frame => {
      if (this.#early === null) this.#hear(frame)
      else if ('nonce' in frame) this.#hello(String(frame['nonce']))
      else this.#begin(frame, late)
    })
  }

  /** `line` gives the event as it is sent, made once for all links. */
  send(event: Ephemeral, line: () => string): void {
    if (this.#early) {
      if (this.#early.push(event) > MOST_EARLY) this.#early.shift()
    } else if (this.#threads.has(event.thread_id) && this.#socket.writableLength < MOST_WAITING) {
      const text = line()
      if (text.length <= LONGEST_LINE) this.#socket.write(text)
    }
  }

  close(): void {
    if (this.#early) this.#socket.destroy()
    else this.#socket.destroySoon()
  }

  #hello(theirs: string): void {
    writeFrame(this.#socket, { nonce: this.#own, proof: proofOf(this.#secret, 'publisher', theirs) })
  }

  #begin(frame: Frame, late: NodeJS.Timeout): void {
    if (!isProof(frame['proof'], this.#secret, 'follower', this.#own)) return void this.#socket.destroy()
    clearTimeout(late)
    const early = this.#early ?? []
    this.#early = null
    this.#hear(frame)
    for (const event of early) this.send(event, () => lineOf(event))
  }

  #hear({ follow, leave }: Frame): void {
    for (const id of Array.isArray(follow) ? follow : [follow]) if (typeof id === 'string') this.#threads.add(id)
    if (typeof leave === 'string') this.#threads.delete(leave)
  }
}

/** A killed process leaves its socket. */
async function removeStale(path: string, thrown: NodeJS.ErrnoException): Promise<void> {
  if (thrown.code !== 'ECONNREFUSED') return
  try {
    const found = await lstat(path)
    if (found.isSocket() && Date.now() - found.mtimeMs > STALE_MS) await unlink(path)
  } catch {
    // Another process was first.
  }
}

type Side = 'follower' | 'publisher'

export function nonce(): string {
  return randomBytes(16).toString('hex')
}

/** Shows, without telling the secret, that one can read the store. */
export function proofOf(secret: string, side: Side, nonceOfOther: string): string {
  return createHmac('sha256', secret).update(`${side} ${nonceOfOther}`).digest('hex')
}

export function isProof(given: unknown, secret: string, side: Side, ownNonce: string): boolean {
  const wanted = Buffer.from(proofOf(secret, side, ownNonce))
  const proof = Buffer.from(typeof given === 'string' ? given : '')
  return proof.length === wanted.length && timingSafeEqual(proof, wanted)
}
