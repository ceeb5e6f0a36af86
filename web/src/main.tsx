import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './frame/app.tsx'
import { applyTheme } from './frame/theme.ts'

applyTheme()
const place = document.getElementById('page')
if (place)
  createRoot(place).render(
    <StrictMode>
      <App />
    </StrictMode>,
  )
