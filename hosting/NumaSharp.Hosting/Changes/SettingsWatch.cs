using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using NumaSharp.Core;
using NumaSharp.Hosting.Configuration;
using NumaSharp.Hosting.Starting;
using NumaSharp.Logging;

namespace NumaSharp.Hosting.Changes;

/// <summary>
/// Checks the section when the configuration was reloaded: applies what can change while the host runs, reports what needs a
/// restart, and changes nothing if any value is not allowed.
/// </summary>
internal sealed class SettingsWatch(
    IServiceProvider services,
    IOptionsFactory<NumaOptions> factory,
    LiveOptions live,
    NumaSection section,
    ILoggerFactory loggers)
    : IDisposable
{
    private readonly Lock _lock = new();

    // Used with the lock held, so that messages keep the order of the changes.
    private readonly OutboxLogger _logger = new(loggers.CreateLogger(NumaHostingLog.Category), Outbox.Instance);
    private IDisposable? _registration;
    private Dictionary<string, string>? _start;
    private string? _refused;
    private bool _isDisposed;

    /// <summary>Starts watching. Does nothing without a configuration.</summary>
    public void Start()
    {
        _registration = section.OnReload(Look);
        if (section.HasChanged)
        {
            // A reload between the start's reading of its options and the registration raised no callback.
            Look();
        }
    }

    /// <summary>Stops watching, and waits for a check in progress.</summary>
    public void Dispose()
    {
        _registration?.Dispose();
        lock (_lock)
        {
            _isDisposed = true;
        }
    }

    // A file written in pieces is reloaded several times, on any thread; unchanged settings log nothing.
    private void Look()
    {
        lock (_lock)
        {
            if (_isDisposed)
            {
                return;
            }

            try
            {
                Take(factory.Create(Options.DefaultName));
                _refused = null;
            }
            catch (OptionsValidationException exception)
            {
                Refuse(string.Join("; ", exception.Failures));
            }
            catch (Exception exception)
            {
                // Any failure: the application's code configures the options, too, and this is a callback of its configuration.
                Refuse(exception.Message);
            }
        }
    }

    private void Take(NumaOptions options)
    {
        var before = TextsOf(live.Value);
        _start ??= before;
        var after = TextsOf(options);
        var changed = before.Keys.Union(after.Keys, StringComparer.OrdinalIgnoreCase)
            .Select(key => (Key: key, Before: before.GetValueOrDefault(key, ""), After: after.GetValueOrDefault(key, "")))
            .Where(static change => change.Before != change.After)
            .OrderBy(static change => change.Key, StringComparer.Ordinal)
            .ToLookup(static change => LiveSettings.Keys.Contains(change.Key, StringComparer.OrdinalIgnoreCase));
        live.Value = options;
        LiveSettings.Apply(changed[true].Select(static change => change.Key), services, options);
        foreach (var (key, old, now) in changed[true])
        {
            NumaHostingLog.SettingChanged(_logger, section.Prefix + key, now, old);
        }

        foreach (var (key, old, now) in changed[false])
        {
            if (_start.GetValueOrDefault(key, "") is var atStart && atStart != now)
            {
                NumaHostingLog.SettingNeedsStart(_logger, section.Prefix + key, now, atStart);
            }
            else
            {
                NumaHostingLog.SettingChanged(_logger, section.Prefix + key, now, old);
            }
        }
    }

    private void Refuse(string failures)
    {
        if (_refused != failures)
        {
            _refused = failures;
            NumaHostingLog.SettingsRefused(_logger, failures);
        }
    }

    private static Dictionary<string, string> TextsOf(NumaOptions options) =>
        NumaSettings.All.SelectMany(setting => setting.TextsOf(options)).ToDictionary(StringComparer.OrdinalIgnoreCase);
}
