// Loaded before the service: on a signal something fails that nobody has thought of, and says what it should not.
const failures = {
  error: () => {
    throw new Error(`nobody caught this (${process.env.SCRAPER_SERVICE_KEY})`);
  },
  rejection: () => void Promise.reject(new Error(`nobody awaited this (${process.env.SCRAPER_SERVICE_KEY})`)),
};

process.on('SIGWINCH', () => setTimeout(failures[process.env.UNFORESEEN]));
