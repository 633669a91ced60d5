using System.Runtime.InteropServices;
using System.Text;

namespace NumaSharp.Tests.Core.Topology;

/// <summary>Spoils files and folders of a tree in every way that a file system allows, and repairs them.</summary>
internal sealed partial class TreeMutator : IDisposable
{
    private static readonly string[] s_texts =
    [
        "", "\n", "\0", "-1\n", "0\n", "1\n", "99999999999999999999\n", "4294967296\n", "0-65535\n", "7-0\n", "0-3,2-5\n",
        "ffffffff,ffffffff,ffffffff\n", "0x1\n", "\u001b[31m\n", "0-65535:1/2,0-65535:1/2\n", "isolated\n", "Unified\n",
        "Instruction\n", "..", "0::/../..\n", "10 10 10\n", "MemTotal: 1 kB\n", "9223372036854775807K\n", "1-",
    ];

    private readonly string _root;
    private readonly Random _random;
    private readonly TemporaryFolder _saved = TemporaryFolder.InMemory();
    private readonly List<(string Path, string Saved)> _undo = [];
    private readonly string[] _files;

    public TreeMutator(string root, int seed)
    {
        _root = root;
        _random = new Random(seed);
        var options = new EnumerationOptions { RecurseSubdirectories = true, AttributesToSkip = FileAttributes.ReparsePoint };
        _files = [.. Directory.EnumerateFiles(root, "*", options).Order(StringComparer.Ordinal)];
    }

    /// <summary>What was done since the last repair.</summary>
    public List<string> Log { get; } = [];

    /// <summary>Spoils one file, or one of the folders above it.</summary>
    public void Mutate()
    {
        var path = _files[_random.Next(_files.Length)];
        for (var up = _random.Next(12) == 0 ? _random.Next(1, 3) : 0; up > 0 && Path.GetDirectoryName(path) != _root; up--)
        {
            path = Path.GetDirectoryName(path)!;
        }

        if (!Path.Exists(path) || _undo.Exists(undo => undo.Path.StartsWith(path, StringComparison.Ordinal)))
        {
            return;
        }

        var original = File.Exists(path) ? ReadText(path) : "";
        MoveAway(path);
        var kind = _random.Next(OperatingSystem.IsLinux() ? 10 : 6);
        Log.Add($"{kind} {Path.GetRelativePath(_root, path)}");
        Apply(kind, path, original);
    }

    /// <summary>Takes a file away, as hot-unplug does.</summary>
    public void Remove()
    {
        var path = _files[_random.Next(_files.Length)];
        if (File.Exists(path))
        {
            MoveAway(path);
        }
    }

    public void Repair()
    {
        for (var i = _undo.Count - 1; i >= 0; i--)
        {
            var (path, saved) = _undo[i];
            if (Directory.Exists(path) && !IsLink(path))
            {
                Directory.Delete(path, recursive: true);
            }
            else
            {
                File.Delete(path);
            }

            Directory.Move(saved, path);
        }

        _undo.Clear();
        Log.Clear();
    }

    public void Dispose() => _saved.Dispose();

    private void Apply(int kind, string path, string original)
    {
        switch (kind)
        {
            case 0: // deleted
                break;
            case 1:
                Directory.CreateDirectory(Path.Join(path, "0"));
                break;
            case 2:
                File.WriteAllText(path, original[.._random.Next(original.Length + 1)], Encoding.Latin1);
                break;
            case 3:
                var bytes = new byte[_random.Next(200)];
                _random.NextBytes(bytes);
                File.WriteAllBytes(path, bytes);
                break;
            case 4:
                File.WriteAllText(path, ReadText(_files[_random.Next(_files.Length)]), Encoding.Latin1);
                break;
            case 5:
                File.WriteAllText(path, new string((char)_random.Next('0', 'z'), 300_000), Encoding.Latin1);
                break;
            case 6:
                File.CreateSymbolicLink(path, Path.GetFileName(path));
                break;
            case 7:
                Assert.Equal(0, MakeFifo(path, 0x1FF));
                break;
            default:
                File.WriteAllText(path, s_texts[_random.Next(s_texts.Length)], Encoding.Latin1);
                break;
        }
    }

    private void MoveAway(string path)
    {
        var saved = Path.Join(_saved.Path, Guid.NewGuid().ToString("N"));
        Directory.Move(path, saved);
        _undo.Add((path, saved));
    }

    // What is spoilt already may be a FIFO by now, which would wait.
    private string ReadText(string path) =>
        File.Exists(path) && !_undo.Exists(undo => undo.Path == path) ? File.ReadAllText(path, Encoding.Latin1) : "";

    private static bool IsLink(string path) => (File.GetAttributes(path) & FileAttributes.ReparsePoint) != 0;

    [LibraryImport("libc", EntryPoint = "mkfifo", StringMarshalling = StringMarshalling.Utf8)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int MakeFifo(string path, uint mode);
}
