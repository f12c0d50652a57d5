//! The macros of LaTeX itself: the kernel, the standard classes and the primitives of TeX, e-TeX
//! and the engines in use.
//!
//! A macro is listed when a document may use it without loading a package. The table is text, so
//! that adding a name is adding a word; it is kept in byte order.

use std::sync::LazyLock;

/// Whether LaTeX defines the macro with this name, which comes without its backslash.
pub(super) fn is_standard(name: &str) -> bool {
    STANDARD.binary_search(&name).is_ok()
}

static STANDARD: LazyLock<Vec<&'static str>> = LazyLock::new(|| NAMES.split_whitespace().collect());

const NAMES: &str = "\
    AA AE AddToHook AddToHookNext Alph Arrowvert AssignSocketPlug AtBeginDocument AtBeginDvi \
    AtEndDocument AtEndDvi AtEndOfClass AtEndOfPackage Big Bigg Biggl Biggm Biggr Bigl Bigm \
    Bigr BooleanFalse BooleanTrue CheckCommand ClassError ClassInfo ClassNote ClassWarning \
    ClassWarningNoLine ClearHookNext CurrentOption DH DJ DeclareCommandCopy \
    DeclareDocumentCommand DeclareDocumentEnvironment DeclareEmphSequence \
    DeclareEnvironmentCopy DeclareExpandableDocumentCommand DeclareFixedFont \
    DeclareFontEncoding DeclareFontFamily DeclareFontSeriesDefault DeclareFontShape \
    DeclareHookRule DeclareKeys DeclareMathAccent DeclareMathAlphabet DeclareMathDelimiter \
    DeclareMathRadical DeclareMathSizes DeclareMathSymbol DeclareMathVersion \
    DeclareOldFontCommand DeclareOption DeclareRobustCommand DeclareSymbolFont \
    DeclareSymbolFontAlphabet DeclareTextAccent DeclareTextAccentDefault DeclareTextCommand \
    DeclareTextCommandDefault DeclareTextComposite DeclareTextCompositeCommand \
    DeclareTextFontCommand DeclareTextSymbol DeclareTextSymbolDefault DeclareUnicodeCharacter \
    DeclareUnknownKeyHandler Delta DocumentMetadata Downarrow ExecuteOptions ExpandArgs \
    ExplSyntaxOff ExplSyntaxOn FirstMark Gamma GenericError GenericInfo GenericWarning \
    GetDocumentCommandArgSpec H Huge IJ IfBlankF IfBlankT IfBlankTF IfBooleanF IfBooleanT \
    IfBooleanTF IfClassAtLeastTF IfClassLoadedTF IfClassLoadedWithOptionsTF IfFileAtLeastTF \
    IfFileExists IfFormatAtLeastTF IfNoValueF IfNoValueT IfNoValueTF IfPackageAtLeastTF \
    IfPackageLoadedTF IfPackageLoadedWithOptionsTF IfValueF IfValueT IfValueTF Im \
    InputIfFileExists InsertMark L LARGE LaTeX LaTeXe Lambda Large LastMark Leftarrow \
    Leftrightarrow LoadClass LoadClassWithOptions LoadFontDefinitionFile Longleftarrow \
    Longleftrightarrow Longrightarrow MakeLowercase MakeTitlecase MakeUppercase MessageBreak NG \
    NeedsTeXFormat NewCommandCopy NewDocumentCommand NewDocumentEnvironment NewEnvironmentCopy \
    NewExpandableDocumentCommand NewHook NewMarkClass NewSocket NoValue O OE Omega \
    OptionNotUsed P PackageError PackageInfo PackageNote PackageWarning PackageWarningNoLine \
    PassOptionsToClass PassOptionsToPackage Phi Pi Pr ProcessKeyOptions ProcessList \
    ProcessOptions ProcessedArgument ProvideDocumentCommand ProvideDocumentEnvironment \
    ProvideExpandableDocumentCommand ProvideTextCommand ProvideTextCommandDefault ProvidesClass \
    ProvidesFile ProvidesPackage Psi Re Relbar RemoveFromHook RenewCommandCopy \
    RenewDocumentCommand RenewDocumentEnvironment RenewEnvironmentCopy \
    RenewExpandableDocumentCommand RequirePackage RequirePackageWithOptions ReverseBoolean \
    Rightarrow Roman S SS SetKeys SetMathAlphabet SetSymbolFont ShowCommand Sigma SplitArgument \
    SplitList TH TeX TeXXeTstate Theta TopMark TrimSpaces Umathchardef Umathcode Uparrow \
    Updownarrow Upsilon UseHook UseName UseOneTimeHook UseSocket UseTextAccent UseTextSymbol \
    Vert XeTeXversion Xi a aa above abovecaptionskip abovedisplayshortskip abovedisplayskip \
    abovewithdelims abstract abstractname accent active acute addcontentsline addpenalty \
    addressname addtocontents addtocounter addtolength addvspace adjdemerits advance ae \
    afterassignment aftergroup aleph allowbreak alph alpha alsoname amalg and angle appendix \
    appendixname approx arabic arccos arcsin arctan arg array arraybackslash arraycolsep \
    arrayrulewidth arraystretch arrowvert ast asymp atop atopwithdelims author b backslash \
    badness bar baselineskip baselinestretch batchmode begin beginL begingroup belowcaptionskip \
    belowdisplayshortskip belowdisplayskip beta bezier bf bfdefault bfseries bgroup bibindent \
    bibitem bibliography bibliographystyle big bigbreak bigcap bigcirc bigcup bigg biggl biggm \
    biggr bigl bigm bigodot bigoplus bigotimes bigr bigskip bigskipamount bigsqcup \
    bigtriangledown bigtriangleup biguplus bigvee bigwedge binoppenalty bmod boldmath \
    bordermatrix bot botmark bottomfraction bottomnumber bowtie box boxmaxdepth brace bracevert \
    brack break breve brokenpenalty buildrel bullet c cal cap capitalacute capitalgrave caption \
    cases catcode cdot cdotp cdots center centerdot centering centerline char chardef check chi \
    choose circ circle cite cleaders cleardoublepage clearmark clearpage cline closein closeout \
    clubpenalties clubpenalty clubsuit colon columnsep columnseprule columnwidth cong \
    contentsline contentsname coprod copy copyright cos cosh cot coth count countdef \
    counterwithin counterwithout cr crcr csc csname cup currentgrouplevel d dag dagger dashbox \
    dashv date day dblfloatpagefraction dblfloatsep dbltextfloatsep dbltopfraction dbltopnumber \
    ddag ddagger ddot ddots deadcycles def defaulthyphenchar defaultscriptratio \
    defaultscriptscriptratio defaultskewchar deg delcode delimiter delimiterfactor \
    delimitershortfall delta depth description descriptionlabel det detokenize dh diamond \
    diamondsuit dim dimen dimendef dimeval dimexpr directlua discretionary displayindent \
    displaylimits displaylines displaymath displaystyle displaywidowpenalty displaywidth div \
    divide dj document documentclass dospecials dosupereject dot doteq dotfill dots \
    doublehyphendemerits doublerulesep downarrow dp dump eTeXversion ebseries edef egroup eject \
    ell else em emergencystretch emfontdeclare emph empty emptyset emreset encodingdefault end \
    endL endabstract endcenter endcsname enddescription enddocument endenumerate endequation \
    endfigure endgraf endgroup endinput enditemize endlinechar endminipage endtable endtabular \
    endthebibliography endtheindex endtitlepage endverbatim enlargethispage enskip enspace \
    ensuremath enumerate epsilon eqalign eqalignno eqnarray eqno equation equiv errhelp \
    errmessage errorcontextlines errorstopmode escapechar eta evensidemargin everycr \
    everydisplay everyhbox everyjob everymath everypar everyvbox exhyphenpenalty exists exp \
    expandafter expanded extracolsep fam familydefault fbox fboxrule fboxsep fi figure \
    figurename filbreak filecontents fill finalhyphendemerits firstmark flat floatingpenalty \
    floatpagefraction floatsep flushbottom flushleft flushright fnsymbol fnum folio font \
    fontdimen fontencoding fontfamily fontname fontseries fontshape fontsize footheight \
    footnote footnotemark footnoterule footnotesep footnotesize footnotetext footskip forall \
    fpeval frac frame framebox frenchspacing frown fussy futurelet gamma gcd gdef ge geq gets \
    gg global glossary glueexpr glueshrink gluestretch goodbreak grave guillemetleft \
    guillemetright guillemotleft guillemotright guilsinglleft guilsinglright halign hang \
    hangafter hangindent hat hbadness hbar hbox headheight headsep heartsuit height hfil hfill \
    hfilneg hfuzz hglue hideskip hidewidth hline hoffset holdinginserts hom hookleftarrow \
    hookrightarrow hphantom hrule hrulefill hsize hskip hspace hss ht huge hyphenation \
    hyphenchar hyphenpenalty i ialign if ifcase ifcat ifcsname ifdefined ifdim ifeof iff \
    iffalse iffontchar ifhbox ifhmode ifincsname ifinner ifmmode ifnum ifodd ifpdfprimitive \
    iftrue ifvbox ifvmode ifvoid ifx ignorespaces ignorespacesafterend ij imath immediate in \
    include includeonly indent index indexname indexspace inf infty input inputlineno insert \
    insertpenalties int interactionmode interlinepenalties interlinepenalty inteval intextsep \
    intop iota it itdefault item itemindent itemitem itemize itemsep iterate itshape j jmath \
    jobname joinrel jot k kappa ker kern kill l label labelenumi labelenumii labelenumiii \
    labelenumiv labelitemi labelitemii labelitemiii labelitemiv labelsep labelwidth lambda land \
    langle language large lastbox lastkern lastlinefit lastnodetype lastpenalty lastskip lbrace \
    lbrack lccode lceil ldotp ldots le leaders leavevmode left leftarrow leftharpoondown \
    leftharpoonup lefthyphenmin leftline leftmargin leftmargini leftmarginii leftmarginiii \
    leftmarginiv leftmarginv leftmarginvi leftmark leftrightarrow leftskip legacyoldstylenums \
    leq leqalignno leqno let lfloor lg lgroup lhook lim liminf limits limsup line linebreak \
    linepenalty lineskip lineskiplimit linespread linethickness linewidth list listfigurename \
    listfiles listoffigures listoftables listparindent listtablename ll llap lmoustache ln lnot \
    log loggingoutput long longleftarrow longleftrightarrow longmapsto longrightarrow loop \
    looseness lor lower lowercase lq lrbox luaescapestring luatexversion mag magnification \
    makeatletter makeatother makebox makeglossary makeindex makelabel maketitle mapsto \
    mapstochar marginpar marginparpush marginparsep marginparwidth mark markboth markleft \
    markright math mathaccent mathbf mathbin mathcal mathchar mathchardef mathchoice mathclose \
    mathcode mathgroup mathinner mathit mathnormal mathop mathopen mathord mathpalette \
    mathpunct mathrel mathring mathrm mathsf mathstrut mathsurround mathtt mathversion matrix \
    max maxdeadcycles maxdepth maxdimen mbox mddefault mdseries meaning medbreak medmuskip \
    medskip medskipamount medspace message mid middle min minipage mit mkern models month \
    moveleft moveright mp mpfootnotesep mskip mu muexpr multicolumn multiply multiput multispan \
    muskip nabla narrower natural ne nearrow neg negmedspace negthickspace negthinspace neq \
    newblock newbox newcommand newcount newcounter newdimen newenvironment newfam newfont \
    newhelp newif newinsert newlanguage newlength newline newlinechar newmuskip newpage newread \
    newsavebox newskip newtheorem newtoks newwrite ng ni noalign nobreak nobreakdashes \
    nobreakspace nocite nocorr nocorrlist noexpand nofiles noindent nointerlineskip nolimits \
    nolinebreak nonfrenchspacing nonscript nonstopmode nonumber nopagebreak normalbaselines \
    normalbaselineskip normalfont normallineskip normallineskiplimit normalmarginpar normalsize \
    not notin nu null nulldelimiterspace nullfont number numberline numexpr nwarrow o oalign \
    obeycr obeylines obeyspaces oddsidemargin odot oe of offinterlineskip oint ointop \
    oldstylenums omega ominus omit onecolumn ooalign openin openout openup oplus or oslash \
    otimes outer output oval over overbrace overfullrule overleftarrow overline overrightarrow \
    overwithdelims owns pagebreak pageheight pageno pagenumbering pageref pagestyle pagewidth \
    paperheight paperwidth par paragraph paragraphmark parallel parbox parfillskip parindent \
    parsep parshape parskip part partial partname partopsep patterns pausing pdfadjustspacing \
    pdfcatalog pdfcompresslevel pdfcreationdate pdfdest pdffilesize pdfgentounicode pdfhorigin \
    pdfinclusioncopyfonts pdfinfo pdflastximage pdfliteral pdfmapfile pdfmapline pdfmdfivesum \
    pdfminorversion pdfobjcompresslevel pdfoutline pdfoutput pdfpageattr pdfpageheight \
    pdfpagesattr pdfpagewidth pdfpkresolution pdfprotrudechars pdfrefximage pdfshellescape \
    pdfstrcmp pdfsuppresswarningpagegroup pdftexversion pdfvorigin pdfximage penalty perp \
    phantom phi pi picture pm pmatrix pmod poptabs postdisplaypenalty pounds prec preceq \
    predisplaypenalty predisplaysize pretolerance prevdepth prevgraf prime primitive process \
    proclaim prod propto protect protected providecommand psi pushtabs put qbezier qbeziermax \
    qquad quad quotation quote quotedblbase quotesinglbase r radical raggedbottom raggedcenter \
    raggedleft raggedright raise raisebox rangle rbrace rbrack rceil read readline ref refname \
    refstepcounter relax relbar relpenalty removelastskip renewcommand renewenvironment repeat \
    restorecr reversemarginpar rfloor rgroup rho rhook right rightarrow rightharpoondown \
    rightharpoonup righthyphenmin rightleftharpoons rightline rightmargin rightmark rightskip \
    rlap rm rmdefault rmfamily rmoustache rmsubstdefault roman romannumeral root rq rule \
    samepage savebox savingvdiscards sb sbox sbseries sc scantokens scdefault scriptfont \
    scriptscriptfont scriptscriptstyle scriptsize scriptstyle scrollmode scshape searrow sec \
    secdef section sectionmark seename selectfont seriesdefault setbox setcounter setlanguage \
    setlength setminus settabs settodepth settoheight settowidth sf sfcode sfdefault sffamily \
    shapedefault sharp shipout shortstack show showbox showboxbreadth showboxdepth showgroups \
    showhyphens showifs showlists showoutput showthe showtokens sigma sim simeq sin sinh skew \
    skewchar skip skipdef skipeval sl slash sldefault sloppy sloppypar slshape small smallbreak \
    smallint smallskip smallskipamount smash smile sp space spacefactor spaceskip spadesuit \
    span special splitbotmark splitfirstmark splitmaxdepth splittopskip sqcap sqcup sqrt \
    sqsubseteq sqsupseteq ss sscshape stackrel star stepcounter stretch string strut subitem \
    subparagraph subparagraphmark subsection subsectionmark subset subseteq subsubitem \
    subsubsection subsubsectionmark succ succeq sum sup supereject suppressfloats supset \
    supseteq surd swarrow swshape symbol t tabbing tabcolsep table tablename tableofcontents \
    tabskip tabular tabularnewline tan tanh tau textacutedbl textascendercompwordmark \
    textasciiacute textasciibreve textasciicaron textasciicircum textasciidieresis \
    textasciigrave textasciimacron textasciitilde textasteriskcentered textbackslash textbaht \
    textbar textbardbl textbf textbigcircle textblank textborn textbraceleft textbraceright \
    textbrokenbar textbullet textcapitalcompwordmark textcelsius textcent textcentoldstyle \
    textcircled textcircledP textcolonmonetary textcompwordmark textcopyleft textcopyright \
    textcurrency textdagger textdaggerdbl textdblhyphen textdblhyphenchar textdegree textdied \
    textdiscount textdiv textdivorced textdollar textdollaroldstyle textdong textdownarrow \
    texteightoldstyle textellipsis textemdash textendash textestimated texteuro textexclamdown \
    textfiguredash textfiveoldstyle textfloatsep textflorin textfont textfouroldstyle \
    textfraction textfractionsolidus textgravedbl textgreater textguarani textheight \
    texthorizontalbar textindent textinterrobang textit textlangle textlbrackdbl textleaf \
    textleftarrow textless textlf textlira textlnot textlquill textmarried textmd textmho \
    textminus textmu textmusicalnote textnaira textnineoldstyle textnonbreakinghyphen \
    textnormal textnumero textohm textonehalf textoneoldstyle textonequarter textonesuperior \
    textopenbullet textordfeminine textordmasculine textparagraph textperiodcentered \
    textpertenthousand textperthousand textpeso textpilcrow textpm textpublished \
    textquestiondown textquotedbl textquotedblleft textquotedblright textquoteleft \
    textquoteright textquotesingle textquotestraightbase textquotestraightdblbase textrangle \
    textrbrackdbl textrecipe textreferencemark textregistered textrightarrow textrm textrquill \
    textsc textsection textservicemark textsevenoldstyle textsf textsixoldstyle textsl textssc \
    textsterling textstyle textsubscript textsuperscript textsurd textsw textthreeoldstyle \
    textthreequarters textthreequartersemdash textthreesuperior texttimes texttrademark texttt \
    texttwelveudash texttwooldstyle texttwosuperior textulc textunderscore textup textuparrow \
    textvisiblespace textwidth textwon textyen textzerooldstyle th thanks the thebibliography \
    thecontentsline theenumi theenumii theenumiii theenumiv theequation thefigure thefootnote \
    theindex themempfootnote thempfootnote theorem thepage theparagraph thepart thesection \
    thesubparagraph thesubsection thesubsubsection theta thetable thicklines thickmuskip \
    thickspace thinlines thinmuskip thinspace thispagestyle tilde time times tiny title \
    titlepage to today toks toksdef tolerance top topfraction topglue topmargin topmark \
    topmarks topnumber topsep topskip totalheight totalnumber tracingall tracingassigns \
    tracingcommands tracingfonts tracinglostchars tracingmacros tracingonline tracingoutput \
    tracingpages tracingparagraphs tracingrestores tracingstats triangle triangleleft \
    triangleright trivlist tt ttdefault ttfamily twocolumn typein typeout u uccode uchyph \
    ulcshape unboldmath undefined underbar underbrace underline unexpanded unhbox unhcopy \
    unitlength unkern unless unpenalty unskip unvbox unvcopy uparrow updefault updownarrow \
    uplus uppercase upshape upsilon usebox usecounter usefont usepackage v vadjust valign value \
    varepsilon varphi varpi varrho varsigma vartheta vbadness vbox vcenter vdash vdots vec \
    vector vee verb verbatim verse vert vfil vfill vfilneg vfuzz vglue vline voffset vphantom \
    vrule vsize vskip vspace vsplit vss vtop wd wedge widehat widetilde widowpenalties \
    widowpenalty width wlog wp wr write xdef xi xleaders xspaceskip year zeta \
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_is_sorted_without_repetition() {
        assert!(STANDARD.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn table_holds_kernel_and_primitives_but_no_package() {
        for name in ["section", "alpha", "hbox", "numexpr", "NewDocumentCommand", "textdegree"] {
            assert!(is_standard(name), "{name}");
        }
        for name in ["includegraphics", "text", "mathbb", "layer", "Section", ""] {
            assert!(!is_standard(name), "{name}");
        }
    }
}
