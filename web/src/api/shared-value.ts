import { useSyncExternalStore } from 'react'

/** A value of the whole page, which parts of it follow. */
export interface SharedValue<T> {
  get(): T
  set(value: T): void
  subscribe(listener: () => void): () => void
}

export function sharedValue<T>(first: T): SharedValue<T> {
  let current = first
  const listeners = new Set<() => void>()
  return {
    get: () => current,
    set: value => {
      if (Object.is(value, current)) return
      current = value
      for (const listener of listeners) listener()
    },
    subscribe: listener => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

export function useShared<T>(value: SharedValue<T>): T {
  return useSyncExternalStore(value.subscribe, value.get)
}
