import { type SharedValue, sharedValue, useShared } from './shared-value.ts'

/** A choice of this browser, and not of the person: it outlives the tab, and no server knows it. */
interface Setting {
  get(): boolean
  set(isOn: boolean): void
  readonly value: SharedValue<boolean>
}

function setting(name: string): Setting {
  const key = `holdpoint.${name}`
  const value = sharedValue(localStorage.getItem(key) === 'on')
  return {
    value,
    get: value.get,
    set: isOn => {
      value.set(isOn)
      if (isOn) localStorage.setItem(key, 'on')
      else localStorage.removeItem(key)
    },
  }
}

/** After a decision the next card is opened. */
export const GOES_ON: Setting = setting('goes-on')
/** The browser shows a notification when something waits and the page is out of sight. */
export const NOTIFIES: Setting = setting('notifies')
/** And a short sound. */
export const SOUNDS: Setting = setting('sounds')

export function useSetting({ value }: Setting): boolean {
  return useShared(value)
}
