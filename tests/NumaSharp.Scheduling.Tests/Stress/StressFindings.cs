using System.Globalization;

namespace NumaSharp.Scheduling.Tests.Stress;

/// <summary>What went wrong in a run, by any thread. One fault makes thousands: of each kind some are shown.</summary>
internal sealed class StressFindings
{
    private const int Shown = 8;

    private readonly Lock _lock = new();
    private readonly Dictionary<string, List<string>> _ofKind = [];
    private volatile bool _any;

    public bool Any => _any;

    public void Add(string kind, string finding)
    {
        lock (_lock)
        {
            if (!_ofKind.TryGetValue(kind, out var findings))
            {
                _ofKind.Add(kind, findings = []);
            }

            findings.Add(finding);
        }

        _any = true;
    }

    public void Add(Exception exception) => Add("exceptions", exception.ToString());

    /// <summary>Does something whose failure is a finding.</summary>
    public void Guard(Action work)
    {
        try
        {
            work();
        }
        catch (Exception e)
        {
            Add(e);
        }
    }

    public override string ToString()
    {
        lock (_lock)
        {
            return string.Join(Environment.NewLine, _ofKind.SelectMany(static pair => pair.Value
                .Take(Shown)
                .Prepend(string.Create(CultureInfo.InvariantCulture, $"{pair.Key}: {pair.Value.Count}"))));
        }
    }
}
