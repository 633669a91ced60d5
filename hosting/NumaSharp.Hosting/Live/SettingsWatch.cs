using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using NumaSharp.Core;
using NumaSharp.Hosting.Settings;
using NumaSharp.Hosting.Telemetry;

namespace NumaSharp.Hosting.Live;

/// <summary>
/// Checks the section when the configuration was reloaded: applies what can change while the host runs, reports what needs a
/// restart, and changes nothing if any value is not allowed.
/// </summary>
internal sealed class SettingsWatch(
    IServiceProvider services,
    IOptionsFactory<NumaOptions> factory,
    LiveOptions live,
    NumaSection section,
    ILoggerFactory loggers,
    StopLimit stopLimit)
    : IDisposable
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(5);

    // One check at a time, under no lock: application code configures the options and listens to the meter, and may wait for
    // another thread that reloads the configuration or stops the host.
    private readonly LastRequest _checks = new();

    // Used by the check in progress only, so messages are in the order of the changes.
    private readonly OutboxLogger _logger = new(loggers.CreateLogger(NumaHostingLog.Category), Outbox.Instance);
    private Dictionary<string, string>? _start;
    private string? _refused;

    private IDisposable? _registration;
    private volatile bool _isDisposed;

    /// <summary>Starts watching. Does nothing without a configuration.</summary>
    public void Start()
    {
        _registration = section.OnReload(RequestCheck);
        if (section.HasChanged)
        {
            // A reload between the start's reading of its options and the registration raised no callback.
            RequestCheck();
        }
    }

    /// <summary>
    /// Stops watching, and waits for a check in progress: up to 5 seconds, or for the rest of a stopping host's time. If the
    /// application's code does not return, the check is left behind; the settings that it reads are not applied.
    /// </summary>
    public void Dispose()
    {
        _isDisposed = true;
        if (_checks.WaitUntilIdle(stopLimit.Of(s_patience)))
        {
            // It waits for a callback in progress, so not for one that is left behind; later callbacks do nothing.
            _registration?.Dispose();
        }
    }

    // A file written in pieces is reloaded several times, on any thread; unchanged settings log nothing.
    private void RequestCheck() => _checks.Run(Check);

    private void Check()
    {
        if (_isDisposed)
        {
            return;
        }

        try
        {
            var options = factory.Create(Options.DefaultName);
            if (!_isDisposed)
            {
                Take(options);
                _refused = null;
            }
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
        if (_refused != failures && !_isDisposed)
        {
            _refused = failures;
            NumaHostingLog.SettingsRefused(_logger, failures);
        }
    }

    private static Dictionary<string, string> TextsOf(NumaOptions options) =>
        NumaSettings.All.SelectMany(setting => setting.TextsOf(options)).ToDictionary(StringComparer.OrdinalIgnoreCase);
}
