using NumaSharp.Tool.Commands;
using Spectre.Console;

namespace NumaSharp.Tool.Doctor;

/// <summary>The findings for people, each with its evidence and what to do.</summary>
internal static class DoctorView
{
    private const int Indent = 4;

    public static void Write(IAnsiConsole screen, Diagnosis diagnosis)
    {
        foreach (var finding in diagnosis.Findings)
        {
            Write(screen, finding);
        }

        var counts = diagnosis.Findings
            .GroupBy(static finding => finding.Severity)
            .Select(static group => $"{ToolText.Number(group.Count())} {NameOf(group.Key)}");
        WriteLine(screen, 0, diagnosis.Findings.Count == 0 ? "Nothing found." : $"Found: {string.Join(", ", counts)}.");
        if (diagnosis.LeftOut.Count > 0)
        {
            WriteLine(screen, 0, $"Skipped, because they need the running system: {string.Join(", ", diagnosis.LeftOut)}.");
        }
    }

    public static string NameOf(Severity severity) => severity switch
    {
        Severity.Error => "error",
        Severity.Warning => "warning",
        _ => "info",
    };

    private static void Write(IAnsiConsole screen, Finding finding)
    {
        var style = new Style(ColorOf(finding.Severity), decoration: Decoration.Bold);
        screen.Write(new Text($"{NameOf(finding.Severity)} {finding.Id}", style));
        screen.WriteLine();
        WriteLine(screen, Indent, finding.Problem);
        foreach (var evidence in finding.Evidence)
        {
            WriteLine(screen, Indent, $"{evidence.Source}: {evidence.Value}");
        }

        WriteLine(screen, Indent, $"Fix: {finding.Advice}");
        screen.WriteLine();
    }

    private static void WriteLine(IAnsiConsole screen, int indent, string text)
    {
        screen.Write(new Padder(new Text(ToolText.OneLine(text)), new Padding(indent, 0, 0, 0)));
    }

    private static Color ColorOf(Severity severity) => severity switch
    {
        Severity.Error => Color.Red,
        Severity.Warning => Color.Yellow,
        _ => Color.Blue,
    };
}
