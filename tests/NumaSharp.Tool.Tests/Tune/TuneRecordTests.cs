using NumaSharp.Tool.Commands;
using NumaSharp.Tool.Tune;

namespace NumaSharp.Tool.Tests.Tune;

public sealed class TuneRecordTests : IDisposable
{
    private const string First = "proc/irq/40/smp_affinity_list";
    private const string Interrupt = "sys/kernel/irq/40/actions";
    private const string Second = "sys/class/net/eth0/queues/tx-0/xps_cpus";
    private const string Third = "sys/class/net/eth0/queues/rx-0/rps_flow_cnt";

    private readonly TemporaryFolder _folder = new();
    private readonly FakeSettings _settings = new()
    {
        Values = { [First] = "0-7", [Second] = "00", [Third] = "0", [Interrupt] = "eth0-TxRx-0" },
    };

    private readonly TuneRecord _record = new(
    [
        new KernelSetting(First, "0-7", "4", "eth0-TxRx-0"),
        new KernelSetting(Second, "00", "000000f0"),
        new KernelSetting(Third, "0", "64"),
    ]);

    private string Path => _folder.PathOf("tune.json");

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void ApplyAndUndo_NothingInBetween_AllIsAsItWas()
    {
        _record.Apply(_settings, Path);
        Assert.Equal(["4", "000000f0", "64"], Values());
        var record = TuneRecord.Read(Path);
        Assert.Equal(_record.Changes, record.Changes);

        _settings.Writes.Clear();
        Assert.Empty(record.Undo(_settings));
        Assert.Equal(["0-7", "00", "0"], Values());
        Assert.Equal([Third, Second, First], _settings.Writes.Select(static write => write.Name));
    }

    [Theory]
    [InlineData(First)]
    [InlineData(Second)]
    [InlineData(Third)]
    public void Apply_OneIsRefused_AllIsAsItWas(string refused)
    {
        _settings.Refuse = (name, _) => name == refused ? "EIO" : null;
        var exception = Assert.Throws<ToolException>(() => _record.Apply(_settings, Path));
        Assert.Contains(refused, exception.Lines[0], StringComparison.Ordinal);
        Assert.Contains("EIO", exception.Lines[0], StringComparison.Ordinal);
        Assert.Equal("All changes were undone.", exception.Lines[1]);
        Assert.Equal(["0-7", "00", "0"], Values());
        Assert.False(File.Exists(Path));
    }

    // Such as a CPU that is offline, which the kernel takes out of a list.
    [Fact]
    public void Apply_TheKernelTakesSomethingElse_AllIsAsItWas()
    {
        _settings.Take = static value => value == "64" ? "32" : value;
        var exception = Assert.Throws<ToolException>(() => _record.Apply(_settings, Path));
        Assert.Contains($"{Third} = '64' was taken as '32'", exception.Lines[0], StringComparison.Ordinal);
        Assert.Equal("All changes were undone.", exception.Lines[1]);
        Assert.Equal(["0-7", "00", "0"], Values());
        Assert.False(File.Exists(Path));
    }

    [Fact]
    public void Apply_NothingCanBeTakenBack_TheRecordStays()
    {
        _settings.Refuse = (name, value) => name == Third || (name == First && value == "0-7") ? "EPERM" : null;
        var exception = Assert.Throws<ToolException>(() => _record.Apply(_settings, Path));
        Assert.Contains($"{First} = '0-7' was refused: EPERM", exception.Lines[1], StringComparison.Ordinal);
        Assert.Equal(["4", "00", "0"], Values());
        Assert.Equal(_record.Changes, TuneRecord.Read(Path).Changes);
    }

    [Fact]
    public void Apply_ARecordIsThere_IsRefusedBeforeAnyChange()
    {
        File.WriteAllText(Path, "mine");
        var exception = Assert.Throws<ToolException>(() => _record.Apply(_settings, Path));
        Assert.Contains("--undo", exception.Message, StringComparison.Ordinal);
        Assert.Empty(_settings.Writes);
        Assert.Equal("mine", File.ReadAllText(Path));
    }

    [Fact]
    public void Undo_OthersHaveChangedSomething_ThatStays()
    {
        _record.Apply(_settings, Path);
        _settings.Values[First] = "6";
        _settings.Values.Remove(Third);
        Assert.Equal([$"{Third} is gone", $"{First} has become '6'"], _record.Undo(_settings));
        Assert.Equal("6", _settings.Values[First]);
        Assert.Equal("00", _settings.Values[Second]);
    }

    // A driver that was loaded again, or ethtool -L, has given the number to something else.
    [Fact]
    public void Undo_TheNumberIsAnotherInterrupts_ThatStays()
    {
        _record.Apply(_settings, Path);
        _settings.Values[Interrupt] = "nvme0q1";
        Assert.Equal([$"{First} is of another interrupt, 'nvme0q1'"], _record.Undo(_settings));
        Assert.Equal(["4", "00", "0"], Values());
    }

    [Fact]
    public void Apply_TheNumberIsAnotherInterrupts_IsRefused()
    {
        _settings.Values[Interrupt] = "nvme0q1";
        var exception = Assert.Throws<ToolException>(() => _record.Apply(_settings, Path));
        Assert.Contains("another interrupt, 'nvme0q1'", exception.Lines[0], StringComparison.Ordinal);
        Assert.Empty(_settings.Writes);
        Assert.False(File.Exists(Path));
    }

    [Fact]
    public void Undo_TheKernelTakesSomethingElse_IsSaid()
    {
        _record.Apply(_settings, Path);
        _settings.Take = static value => value == "00" ? "0f" : value;
        Assert.Equal([$"{Second} = '00' was taken as '0f'"], _record.Undo(_settings));
    }

    [Fact]
    public void Apply_NoRecordCanBeWritten_ChangesNothing()
    {
        Assert.Throws<DirectoryNotFoundException>(() => _record.Apply(_settings, _folder.PathOf("none/tune.json")));
        Assert.Empty(_settings.Writes);
        Assert.Empty(Directory.EnumerateFileSystemEntries(_folder.Path));
    }

    // As if the machine had stopped in the middle of it.
    [Fact]
    public void Undo_OnlySomeWereMade_TakesBackThose()
    {
        _settings.Values[First] = "4";
        Assert.Empty(_record.Undo(_settings));
        Assert.Equal(["0-7", "00", "0"], Values());
        Assert.Equal((First, "0-7"), Assert.Single(_settings.Writes));
    }

    [Theory]
    [InlineData("")]
    [InlineData("{}")]
    [InlineData("""{ "changes": [null] }""")]
    [InlineData("""{ "changes": [{ "name": "etc/passwd", "before": "x", "after": "y" }] }""")]
    [InlineData("""{ "changes": [{ "name": "sys/class/net/../queues/tx-0/xps_cpus", "before": "0", "after": "1" }] }""")]
    [InlineData("""{ "changes": [{ "name": "proc/irq/40/smp_affinity_list", "after": "1" }] }""")]
    [InlineData("""{ "changes": [{ "name": "proc/irq/40/smp_affinity_list", "before": "0-7", "after": "y" }] }""")]
    [InlineData("""{ "changes": [{ "name": "proc/irq/../smp_affinity_list", "before": "0-7", "after": "1" }] }""")]
    [InlineData("""{ "changes": [{ "name": "sys/class/net/a\u0000/gro_flush_timeout", "before": "0", "after": "1" }] }""")]
    [InlineData("""{ "changes": [{ "name": "ethtool:eth0:rx-usecs", "before": "many", "after": "1" }] }""")]
    [InlineData("""{ "changes": [{ "name": "ethtool:eth0:tx-usecs", "before": "1", "after": "1" }] }""")]
    public void Read_WhatIsNoRecord_IsRefused(string text)
    {
        File.WriteAllText(Path, text);
        var exception = Assert.Throws<ToolException>(() => TuneRecord.Read(Path));
        Assert.Contains("is not a record of numasharp tune", exception.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Read_NoFile_SaysThatNothingIsApplied()
    {
        var exception = Assert.Throws<ToolException>(() => TuneRecord.Read(Path));
        Assert.Contains("does not exist", exception.Message, StringComparison.Ordinal);
    }

    private string[] Values() =>
        [.. new List<string> { First, Second, Third }.Select(name => _settings.Read(name) ?? "none")];
}
