/** Notifications of this browser. The service worker shows them if there is one: phones allow no other way. */
import { navigate } from 'wouter/use-browser-location'

const WORKER_PATH = '/service-worker.js'

export interface Shown {
  /** The hold: in two tabs it is one notification. */
  readonly id: string
  readonly title: string
  readonly body: string
}

export async function showNotification({ id, title, body }: Shown): Promise<void> {
  if (Notification.permission !== 'granted') return
  const registration = await serviceWorker()
  if (registration) return registration.showNotification(title, { body, tag: id, icon: '/icon-192.png' })
  const shown = new Notification(title, { body, tag: id })
  shown.onclick = () => {
    window.focus()
    navigate(`/holds/${id}`)
    shown.close()
  }
}

/** Takes back the notification of a hold that waits for nobody any more. */
export async function closeNotification(id: string): Promise<void> {
  const registration = await container()?.getRegistration()
  for (const shown of (await registration?.getNotifications({ tag: id })) ?? []) shown.close()
}

/** Takes back the notifications of holds that were decided while no page was open. */
export async function closeDecided(): Promise<void> {
  const registration = await container()?.getRegistration()
  registration?.active?.postMessage('close decided')
}

/** Asks the browser for its permission. Resolves to why there are no notifications; `null` if there are. */
export async function refusalOfBrowser(): Promise<string | null> {
  if (!window.isSecureContext) return 'Notifications need https: this page was opened without it.'
  if (!('Notification' in window))
    return 'This browser has no notifications. On an iPhone or iPad, add this page to the home screen and open it there.'
  const permission = await Notification.requestPermission()
  if (permission !== 'granted') return 'The browser does not allow it: change that in its settings for this page.'
  void serviceWorker()
  return null
}

/** Goes to the card when a notification is clicked. Ends with the function that it returns. */
export function followClicks(): () => void {
  const worker = container()
  const onMessage = ({ data }: MessageEvent<{ readonly open?: unknown }>) => {
    if (typeof data.open === 'string') navigate(data.open)
  }
  worker?.addEventListener('message', onMessage)
  return () => worker?.removeEventListener('message', onMessage)
}

/** `null` in a browser without service workers, and if it does not take this one. */
export async function serviceWorker(): Promise<ServiceWorkerRegistration | null> {
  const workers = container()
  try {
    await workers?.register(trusted(WORKER_PATH))
    return (await workers?.ready) ?? null
  } catch {
    return null
  }
}

/** There is none without https. */
function container(): ServiceWorkerContainer | undefined {
  return 'serviceWorker' in navigator ? navigator.serviceWorker : undefined
}

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string }
}

/** The policy of the page takes a script only from a place that its own code vouches for. */
const policy = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy('service-worker', {
  createScriptURL: url => {
    if (url !== WORKER_PATH) throw new TypeError(`${url} is not the service worker of this page.`)
    return url
  },
})

function trusted(url: string): string {
  return policy?.createScriptURL(url) ?? url
}
