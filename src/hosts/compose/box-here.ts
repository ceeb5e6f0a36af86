/** The box of the commands of a project: where it keeps its files, and whether this machine has one. */
import { dirname, join, resolve } from 'node:path'
import { type BoxWish, NO_BOX_WISH } from '../../core/settings/box-wish.ts'
import { StoreLocation } from '../../ports/store/store-location.ts'
import type { BoxOptions } from '../../tools/box/box.ts'
import type { Undone, UndoRequest } from '../../tools/box/effect/undo-effect.ts'
import { BOX_DEFAULTS, type BoxSettings } from '../../tools/box/machine/box-settings.ts'
import { projectDirectory } from '../project/project.ts'
import type { OpenOptions } from './open-options.ts'

type Placed = Pick<OpenOptions, 'store' | 'directory' | 'env'>

/** Tools are made before the store is known: its place counts from `standBeside` on. */
export class BoxPlace implements BoxOptions {
  #placed: Placed
  readonly #wish: BoxWish

  constructor(placed: Placed, wish: BoxWish = NO_BOX_WISH) {
    this.#placed = placed
    this.#wish = wish
  }

  /** The same place, for a project with these settings. */
  as(wish: BoxWish = NO_BOX_WISH): BoxOptions {
    const place = this
    const own = new BoxPlace({}, wish)
    return {
      get isOff() {
        return place.isOff || own.isOff
      },
      isRequired: wish.use === 'require',
      get storeFile() {
        return place.storeFile
      },
      get directory() {
        return place.directory
      },
      settings: own.settings,
    }
  }

  standBeside(placed: Placed): void {
    this.#placed = placed
  }

  get isOff(): boolean {
    return this.#wish.use === 'off' || (this.#placed.env ?? process.env)['HOLDPOINT_BOX'] === 'off'
  }

  get storeFile(): string | null {
    const { store, directory = '.', env = process.env } = this.#placed
    const url = store ?? env['HOLDPOINT_STORE']
    if (!url) return join(projectDirectory(resolve(directory)), 'holdpoint.db')
    const file = typeof url === 'string' ? new StoreLocation(url).file : null
    return file === null ? null : resolve(directory, file)
  }

  get directory(): string {
    const file = this.storeFile
    const beside = file === null ? projectDirectory(resolve(this.#placed.directory ?? '.')) : dirname(file)
    return join(beside, 'boxes')
  }

  get settings(): BoxSettings {
    const { home, caches, keys, limits } = this.#wish
    return {
      home: [...BOX_DEFAULTS.home, ...home],
      caches: [...BOX_DEFAULTS.caches, ...caches],
      keys: [...BOX_DEFAULTS.keys, ...keys],
      limits: { ...BOX_DEFAULTS.limits, ...limits },
    }
  }
}

export type BoxHere =
  | { readonly state: 'off' }
  /** `why`: the reason as a sentence. */
  | { readonly state: 'none'; readonly why: string }
  | { readonly state: 'there'; readonly programs: readonly string[]; readonly directory: string }

/** Tries the machine. */
export async function boxHere(placed: Placed): Promise<BoxHere> {
  const box = new BoxPlace(placed)
  if (box.isOff) return { state: 'off' }
  const { boxMachine } = await import('../../tools/box/machine/machine.ts')
  const { programs, why } = await boxMachine()
  if (programs === null) return { state: 'none', why }
  const { bwrap, unshare, mount } = programs
  return { state: 'there', programs: [bwrap, unshare, mount], directory: box.directory }
}

/** Takes the effect of a call back. */
export async function undoBoxed(
  placed: Placed,
  request: Omit<UndoRequest, 'boxes'>,
): Promise<Undone & { readonly command: string | null }> {
  const { undoEffect, commandOf } = await import('../../tools/box/effect/undo-effect.ts')
  const boxes = new BoxPlace(placed).directory
  const undone = await undoEffect({ ...request, boxes })
  return { ...undone, command: await commandOf(boxes, request.idempotencyKey) }
}
