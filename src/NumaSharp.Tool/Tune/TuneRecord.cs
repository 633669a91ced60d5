using System.Text.Json;
using System.Text.Json.Serialization;
using NumaSharp.Tool.Commands;

namespace NumaSharp.Tool.Tune;

/// <summary>
/// What <c>tune --apply</c> changes. It is written before the first change, so that <c>tune --undo</c> finds it even if not all
/// were made.
/// </summary>
/// <param name="Changes">In the order in which they are made.</param>
internal sealed record TuneRecord(IReadOnlyList<KernelSetting> Changes)
{
    /// <summary>In /run, because the settings do not outlive a restart of the machine either.</summary>
    public const string DefaultPath = "/run/numasharp-tune.json";

    /// <exception cref="ToolException">There is none, or it is not one.</exception>
    public static TuneRecord Read(string path)
    {
        try
        {
            var record = JsonSerializer.Deserialize(File.ReadAllBytes(path), TuneJson.Default.TuneRecord);
            return record?.Changes?.All(static change =>
                change is { Name: not null, Before: not null, After: not null, IsTunable: true }) == true
                ? record
                : throw new ToolException($"'{path}' is not a record of numasharp tune.");
        }
        catch (JsonException exception)
        {
            throw new ToolException($"'{path}' is not a record of numasharp tune: {exception.Message}", exception);
        }
        catch (FileNotFoundException exception)
        {
            throw new ToolException($"'{path}' does not exist: nothing is applied, or --record names another file.", exception);
        }
    }

    /// <summary>Makes the changes, all or none, and leaves the record.</summary>
    /// <exception cref="ToolException">A record is there already, or a change was refused: then all are undone.</exception>
    public void Apply(IKernelSettings settings, string path)
    {
        Save(path);
        for (var i = 0; i < Changes.Count; i++)
        {
            var change = Changes[i];
            if ((FindOther(settings, change) ?? TrySet(settings, change.Name, change.After)) is { } problem)
            {
                throw Refused(settings, path, i, problem);
            }
        }
    }

    /// <summary>Undoes the changes, the last first. What another program has changed since then stays.</summary>
    /// <returns>What is not as it was, and why.</returns>
    public IReadOnlyList<string> Undo(IKernelSettings settings) =>
        [.. Changes.Reverse().Select(change => TryUndo(settings, change)).OfType<string>()];

    // A kernel may store something else than it was given, without an error.
    private static string? TrySet(IKernelSettings settings, string name, string value)
    {
        if (settings.TryWrite(name, value) is { } problem)
        {
            return $"{name} = '{value}' was refused: {problem}";
        }

        var now = settings.Read(name);
        return now is not null && KernelSetting.AreSame(name, now, value)
            ? null
            : $"{name} = '{value}' was taken as '{now}'";
    }

    private static string? TryUndo(IKernelSettings settings, KernelSetting change)
    {
        var now = settings.Read(change.Name);
        if (now is null)
        {
            return $"{change.Name} is gone";
        }

        if (FindOther(settings, change) is { } other)
        {
            return other;
        }

        return KernelSetting.AreSame(change.Name, now, change.Before) ? null
            : KernelSetting.AreSame(change.Name, now, change.After) ? TrySet(settings, change.Name, change.Before)
            : $"{change.Name} has become '{now}'";
    }

    // A driver that has set its device up again has other interrupts by now.
    private static string? FindOther(IKernelSettings settings, KernelSetting change) =>
        KernelSetting.InterruptNameOf(change.Name) is { } file && settings.Read(file) is var now && now != change.Interrupt
            ? $"{change.Name} is of another interrupt, '{now}'"
            : null;

    private ToolException Refused(IKernelSettings settings, string path, int index, string problem)
    {
        // This one may have become anything.
        var change = Changes[index];
        var now = settings.Read(change.Name);
        var own = now is null || KernelSetting.AreSame(change.Name, now, change.Before) || FindOther(settings, change) is not null
            ? null
            : TrySet(settings, change.Name, change.Before);
        string[] left =
        [
            .. own is null ? [] : new List<string> { own },
            .. new TuneRecord([.. Changes.Take(index)]).Undo(settings),
        ];
        if (left.Length == 0)
        {
            File.Delete(path);
        }

        return new ToolException(
            [
                $"{problem}.",
                left.Length == 0
                    ? "All changes were undone."
                    : $"The other changes were undone, except for: {string.Join("; ", left)}. '{path}' has the old values.",
            ]);
    }

    // Complete or not there at all: a file that is half there could be neither undone nor replaced.
    private void Save(string path)
    {
        if (File.Exists(path))
        {
            throw new ToolException(
                $"'{path}' exists: undo it first ('numasharp tune --undo'), or name another file with --record.");
        }

        var draft = $"{path}.{ToolText.Number(Environment.ProcessId)}";
        try
        {
            using (var stream = new FileStream(draft, FileMode.CreateNew, FileAccess.Write))
            {
                JsonSerializer.Serialize(stream, this, TuneJson.Default.TuneRecord);
                stream.Flush(flushToDisk: true);
            }

            File.Move(draft, path, overwrite: false);
        }
        catch (UnauthorizedAccessException exception)
        {
            throw new ToolException($"'{path}' cannot be written: --apply needs root. {exception.Message}", exception);
        }
        catch (IOException)
        {
            File.Delete(draft);
            throw;
        }
    }
}

[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    WriteIndented = true,
    DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull,
    Converters = [typeof(CpuSetJsonConverter)])]
[JsonSerializable(typeof(TuneRecord))]
[JsonSerializable(typeof(TuneDocument))]
internal sealed partial class TuneJson : JsonSerializerContext;
