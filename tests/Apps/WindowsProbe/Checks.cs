namespace NumaSharp.WindowsProbe;

/// <summary>Counts what was checked and says what did not hold.</summary>
internal sealed class Checks
{
    private int _passed;
    private int _failed;

    public async Task Run(string name, Func<Task> probe)
    {
        Console.WriteLine($"== {name}");
        try
        {
            await probe();
        }
        catch (Exception exception)
        {
            That(false, $"{name} ended with {exception}");
        }
    }

    public void That(bool condition, string what)
    {
        if (condition)
        {
            _passed++;
            return;
        }

        _failed++;
        Console.WriteLine($"FAILED: {what}");
    }

    public int Report()
    {
        Console.WriteLine($"== {_passed} checks passed, {_failed} failed");
        return _failed == 0 ? 0 : 1;
    }
}
